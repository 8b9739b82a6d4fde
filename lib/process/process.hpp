#pragma once

#include <cstddef>

namespace fovea {

/// Prepares the process; to be called first of all, before anything is opened or allocated:
/// - Descriptors 0 to 2 that are closed are opened on /dev/null, so that no file of a job gets such a number
///   and is then written over by messages. Reading standard input and writing standard output still fail, as
///   they do when closed.
/// - The limit of open files is raised to the most that the system allows this process.
/// - What libraries write to standard error goes to the log (divert_library_messages()).
/// - Large buffers that are freed go back to the system at once: glibc would keep them for each thread, and a
///   limit on memory could not be kept.
/// - A lack of memory or threads that nothing can catch ends the process with exit code 1 and a message, and
///   its children with it.
/// Ends the process with exit code 1 if /dev/null cannot be opened.
void prepare_process();

/// Ends the process as a return from main() does. No exit handlers run if NVIDIA's library of video decoders
/// was loaded: the library's own waits up to 0.25 s for a thread.
[[noreturn]] void end_process(int exit_code);

/// How many more files this process may open now; a large number where that is not known.
std::size_t descriptors_left();

}  // namespace fovea
