// Linked into programs that are built with the thread sanitizer. TBB is not: the sanitizer sees neither how
// it hands work to its threads nor how it waits for them, and would take every parallel loop for a race. With
// one thread for all loops, the threads that are left are the program's own.

#include <tbb/global_control.h>

namespace {

// The lowest of several limits holds.
const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);

}  // namespace
