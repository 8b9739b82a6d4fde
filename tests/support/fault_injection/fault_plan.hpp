#pragma once

#include <cerrno>
#include <cstddef>

#include <dlfcn.h>

// Makes one operation of a program fail. The library is loaded with LD_PRELOAD and stands before the
// functions of the C library; these environment variables, read once, say what it does:
//
//   FOVEA_FAULT_FILES      pattern of a file's path; only * is special, and stands for / as well (default *)
//   FOVEA_FAULT_OPERATION  what fails, one of the names in fault_plan.cpp FOVEA_FAULT_NUMBER     which of
//   those operations on such files fails, from 1 (default 1) FOVEA_FAULT_EFFECT     a name of errno, such as
//   EIO; or short        half of the bytes are read or written torn         half of the bytes are written,
//   then SIGKILL kill-before  SIGKILL instead of the operation kill-after   SIGKILL when it is done
//   FOVEA_FAULT_LASTING    1: all of those operations from that one on fail FOVEA_FAULT_DELAY
//   milliseconds that each of those operations takes longer FOVEA_FAULT_BYTES      how many bytes an
//   allocation must ask for to count (default 65536) FOVEA_FAULT_TRACE      a file that gets a line for each
//   operation on such files: "! " if it failed, its name, the path (of an allocation the bytes)
//
// Only what happens while main() runs counts. Child processes are left alone.
//
// C's streams read and write by calls within the C library that nothing can stand before. fopen() therefore
// gives streams whose four functions are those of this library (fopencookie); standard input, output and
// error are not reached.
namespace fault {

enum class Operation {
    open,
    read,
    write,
    sync,    // fsync, fdatasync
    rename,  // and link
    truncate,
    remove,  // of a file or a folder
    close,
    folder,    // mkdir
    stat,      // whatever asks if a file is there and what it is
    list,      // opendir, readdir
    lock,      // flock
    allocate,  // malloc and the like
    spawn,     // fork, posix_spawn
    thread,    // pthread_create
};

/// The fate of one operation.
struct Fault {
    int error = 0;  ///< errno; the call is not made
    bool is_short = false;
    bool kills_after = false;

    std::size_t bytes(std::size_t wanted) const { return is_short && wanted > 1 ? wanted / 2 : wanted; }
};

/// Counts an operation and says what happens to it; ends the process where it is to end before. Allocates
/// nothing and leaves errno alone. \param path null for operations that have none
Fault next_fault(Operation operation, const char* path);
/// For an open file, whose path the system knows.
Fault next_fault(Operation operation, int descriptor);
Fault next_allocation_fault(std::size_t bytes);

/// True while main() runs.
void set_active(bool active);

[[noreturn]] void kill_this_process();

/// Makes the call unless it fails. \return what the call returns; -1, with errno, if it fails
template <class Call>
auto call_with(const Fault& fault, const Call& call) -> decltype(call()) {
    if (fault.error != 0) {
        errno = fault.error;
        return -1;
    }
    const auto result = call();
    if (fault.kills_after) kill_this_process();
    return result;
}

/// The next function of that name behind this library.
template <class Function>
Function* next_function(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace fault
