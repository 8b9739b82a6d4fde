// Calls on files: by descriptor or by path. Names with 64, and those of programs that were built to check
// their buffers, do the same as the plain ones.

#include <cstdarg>
#include <cstdio>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/support/fault_injection/fault_plan.hpp"

using fault::call_with;
using fault::Fault;
using fault::next_fault;
using fault::next_function;
using fault::Operation;

namespace {

int open_file(int folder, const char* file, int flags, mode_t mode) {
    static auto* const next = next_function<int(int, const char*, int, ...)>("openat64");
    return call_with(next_fault(Operation::open, file), [&] { return next(folder, file, flags, mode); });
}

ssize_t read_at(int file, void* to, std::size_t bytes, off_t offset) {
    static auto* const next = next_function<ssize_t(int, void*, std::size_t, off_t)>("pread64");
    const Fault fault = next_fault(Operation::read, file);
    return call_with(fault, [&] { return next(file, to, fault.bytes(bytes), offset); });
}

ssize_t write_at(int file, const void* from, std::size_t bytes, off_t offset) {
    static auto* const next = next_function<ssize_t(int, const void*, std::size_t, off_t)>("pwrite64");
    const Fault fault = next_fault(Operation::write, file);
    return call_with(fault, [&] { return next(file, from, fault.bytes(bytes), offset); });
}

int truncate_file(int file, off_t length) {
    static auto* const next = next_function<int(int, off_t)>("ftruncate64");
    return call_with(next_fault(Operation::truncate, file), [&] { return next(file, length); });
}

using MoveBuffers = ssize_t(int, const iovec*, int);

// Short: half of the first buffer that holds anything.
ssize_t move_buffers(Operation operation, MoveBuffers* next, int file, const iovec* buffers, int count) {
    const Fault fault = next_fault(operation, file);
    return call_with(fault, [&] {
        if (!fault.is_short) return next(file, buffers, count);
        const iovec* first = buffers;
        while (first + 1 < buffers + count && first->iov_len == 0) ++first;
        const iovec half{first->iov_base, fault.bytes(first->iov_len)};
        return next(file, &half, 1);
    });
}

}  // namespace

// The mode is there if a file may be made.
#define FOVEA_OPEN_MODE(flags)                                        \
    mode_t mode = 0;                                                  \
    if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) { \
        va_list arguments;                                            \
        va_start(arguments, flags);                                   \
        mode = va_arg(arguments, mode_t);                             \
        va_end(arguments);                                            \
    }

extern "C" {

int open(const char* file, int flags, ...) {
    FOVEA_OPEN_MODE(flags)
    return open_file(AT_FDCWD, file, flags, mode);
}
int open64(const char* file, int flags, ...) {
    FOVEA_OPEN_MODE(flags)
    return open_file(AT_FDCWD, file, flags, mode);
}
int openat(int folder, const char* file, int flags, ...) {
    FOVEA_OPEN_MODE(flags)
    return open_file(folder, file, flags, mode);
}
int openat64(int folder, const char* file, int flags, ...) {
    FOVEA_OPEN_MODE(flags)
    return open_file(folder, file, flags, mode);
}
int __open_2(const char* file, int flags) {
    return open_file(AT_FDCWD, file, flags, 0);
}
int __open64_2(const char* file, int flags) {
    return open_file(AT_FDCWD, file, flags, 0);
}
int __openat_2(int folder, const char* file, int flags) {
    return open_file(folder, file, flags, 0);
}
int __openat64_2(int folder, const char* file, int flags) {
    return open_file(folder, file, flags, 0);
}

ssize_t read(int file, void* to, std::size_t bytes) {
    static auto* const next = next_function<ssize_t(int, void*, std::size_t)>("read");
    const Fault fault = next_fault(Operation::read, file);
    return call_with(fault, [&] { return next(file, to, fault.bytes(bytes)); });
}
ssize_t __read_chk(int file, void* to, std::size_t bytes, std::size_t) {
    return read(file, to, bytes);
}
ssize_t pread(int file, void* to, std::size_t bytes, off_t offset) {
    return read_at(file, to, bytes, offset);
}
ssize_t pread64(int file, void* to, std::size_t bytes, off64_t offset) {
    return read_at(file, to, bytes, offset);
}
ssize_t __pread_chk(int file, void* to, std::size_t bytes, off_t offset, std::size_t) {
    return read_at(file, to, bytes, offset);
}
ssize_t __pread64_chk(int file, void* to, std::size_t bytes, off64_t offset, std::size_t) {
    return read_at(file, to, bytes, offset);
}
ssize_t readv(int file, const iovec* buffers, int count) {
    static auto* const next = next_function<MoveBuffers>("readv");
    return move_buffers(Operation::read, next, file, buffers, count);
}

ssize_t write(int file, const void* from, std::size_t bytes) {
    static auto* const next = next_function<ssize_t(int, const void*, std::size_t)>("write");
    const Fault fault = next_fault(Operation::write, file);
    return call_with(fault, [&] { return next(file, from, fault.bytes(bytes)); });
}
ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t offset) {
    return write_at(file, from, bytes, offset);
}
ssize_t pwrite64(int file, const void* from, std::size_t bytes, off64_t offset) {
    return write_at(file, from, bytes, offset);
}
ssize_t writev(int file, const iovec* buffers, int count) {
    static auto* const next = next_function<MoveBuffers>("writev");
    return move_buffers(Operation::write, next, file, buffers, count);
}

int fsync(int file) {
    static auto* const next = next_function<int(int)>("fsync");
    return call_with(next_fault(Operation::sync, file), [&] { return next(file); });
}
int fdatasync(int file) {
    static auto* const next = next_function<int(int)>("fdatasync");
    return call_with(next_fault(Operation::sync, file), [&] { return next(file); });
}
int ftruncate(int file, off_t length) noexcept {
    return truncate_file(file, length);
}
int ftruncate64(int file, off64_t length) noexcept {
    return truncate_file(file, length);
}
int flock(int file, int operation) noexcept {
    static auto* const next = next_function<int(int, int)>("flock");
    return call_with(next_fault(Operation::lock, file), [&] { return next(file, operation); });
}
// A descriptor is gone even where closing it reports an error.
int close(int file) {
    static auto* const next = next_function<int(int)>("close");
    const Fault fault = next_fault(Operation::close, file);
    if (fault.error != 0) next(file);
    return call_with(fault, [&] { return next(file); });
}

int rename(const char* from, const char* to) noexcept {
    static auto* const next = next_function<int(const char*, const char*)>("rename");
    return call_with(next_fault(Operation::rename, to), [&] { return next(from, to); });
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
    static auto* const next = next_function<int(int, const char*, int, const char*)>("renameat");
    return call_with(next_fault(Operation::rename, to),
                     [&] { return next(from_folder, from, to_folder, to); });
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
    static auto* const next = next_function<int(int, const char*, int, const char*, unsigned)>("renameat2");
    return call_with(next_fault(Operation::rename, to),
                     [&] { return next(from_folder, from, to_folder, to, flags); });
}
int link(const char* from, const char* to) noexcept {
    static auto* const next = next_function<int(const char*, const char*)>("link");
    return call_with(next_fault(Operation::rename, to), [&] { return next(from, to); });
}
int unlink(const char* file) noexcept {
    static auto* const next = next_function<int(const char*)>("unlink");
    return call_with(next_fault(Operation::remove, file), [&] { return next(file); });
}
int unlinkat(int folder, const char* file, int flags) noexcept {
    static auto* const next = next_function<int(int, const char*, int)>("unlinkat");
    return call_with(next_fault(Operation::remove, file), [&] { return next(folder, file, flags); });
}
int remove(const char* file) noexcept {
    static auto* const next = next_function<int(const char*)>("remove");
    return call_with(next_fault(Operation::remove, file), [&] { return next(file); });
}
int rmdir(const char* folder) noexcept {
    static auto* const next = next_function<int(const char*)>("rmdir");
    return call_with(next_fault(Operation::remove, folder), [&] { return next(folder); });
}
int mkdir(const char* folder, mode_t mode) noexcept {
    static auto* const next = next_function<int(const char*, mode_t)>("mkdir");
    return call_with(next_fault(Operation::folder, folder), [&] { return next(folder, mode); });
}

}  // extern "C"
