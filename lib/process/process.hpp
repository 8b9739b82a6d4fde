#pragma once

#include <cstddef>

namespace fovea {

/// Prepares the process. Call it first of all, before anything is opened or allocated:
/// - Closed descriptors among 0 to 2 are opened on /dev/null, so that no file of a job gets such a number and
///   is overwritten by messages. Reading standard input and writing standard output still fail.
/// - The limit of open files is raised to the most that the system allows this process.
/// - What libraries write to standard error goes to the log (divert_library_messages()).
/// - Large buffers that are freed go back to the system at once: glibc would keep them for each thread,
///   beyond any limit on memory.
/// - A lack of memory or threads that nothing catches ends the process and its children, with a message and
///   exit code 1.
///
/// Ends the process with exit code 1 if /dev/null cannot be opened.
void prepare_process();

/// Keeps memory that is freed for later tables, for commands that build large ones and end: to give it back
/// and ask for it again takes a tenth of their time.
void keep_freed_memory();

/// Ends the process as a return from main() does. If NVIDIA's library of video decoders was loaded, no exit
/// handlers run, as the library's own would wait up to 0.25 s for a thread.
[[noreturn]] void end_process(int exit_code);

/// The number of files that this process may still open; 2^20 if unknown.
std::size_t descriptors_left();

}  // namespace fovea
