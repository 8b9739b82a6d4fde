// Calls that ask what a file is, and what is in a folder.

#include <cstddef>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/fault_injection/fault_plan.hpp"

using fault::call_with;
using fault::Fault;
using fault::next_fault;
using fault::next_function;
using fault::Operation;

namespace {

// An open folder by its descriptor; null with errno if it fails.
template <class Entry>
Entry* next_entry(DIR* folder, Entry* (*next)(DIR*)) {
    const Fault fault = next_fault(Operation::list, ::dirfd(folder));
    if (fault.error != 0) {
        errno = fault.error;
        return nullptr;
    }
    return next(folder);
}

}  // namespace

extern "C" {

int stat(const char* file, struct stat* status) noexcept {
    static auto* const next = next_function<int(const char*, struct stat*)>("stat");
    return call_with(next_fault(Operation::stat, file), [&] { return next(file, status); });
}
int stat64(const char* file, struct stat64* status) noexcept {
    static auto* const next = next_function<int(const char*, struct stat64*)>("stat64");
    return call_with(next_fault(Operation::stat, file), [&] { return next(file, status); });
}
int lstat(const char* file, struct stat* status) noexcept {
    static auto* const next = next_function<int(const char*, struct stat*)>("lstat");
    return call_with(next_fault(Operation::stat, file), [&] { return next(file, status); });
}
int lstat64(const char* file, struct stat64* status) noexcept {
    static auto* const next = next_function<int(const char*, struct stat64*)>("lstat64");
    return call_with(next_fault(Operation::stat, file), [&] { return next(file, status); });
}
int fstat(int file, struct stat* status) noexcept {
    static auto* const next = next_function<int(int, struct stat*)>("fstat");
    return call_with(next_fault(Operation::stat, file), [&] { return next(file, status); });
}
int fstat64(int file, struct stat64* status) noexcept {
    static auto* const next = next_function<int(int, struct stat64*)>("fstat64");
    return call_with(next_fault(Operation::stat, file), [&] { return next(file, status); });
}
int fstatat(int folder, const char* file, struct stat* status, int flags) noexcept {
    static auto* const next = next_function<int(int, const char*, struct stat*, int)>("fstatat");
    return call_with(next_fault(Operation::stat, file), [&] { return next(folder, file, status, flags); });
}
int fstatat64(int folder, const char* file, struct stat64* status, int flags) noexcept {
    static auto* const next = next_function<int(int, const char*, struct stat64*, int)>("fstatat64");
    return call_with(next_fault(Operation::stat, file), [&] { return next(folder, file, status, flags); });
}
int access(const char* file, int mode) noexcept {
    static auto* const next = next_function<int(const char*, int)>("access");
    return call_with(next_fault(Operation::stat, file), [&] { return next(file, mode); });
}

DIR* opendir(const char* folder) {
    static auto* const next = next_function<DIR*(const char*)>("opendir");
    const Fault fault = next_fault(Operation::list, folder);
    if (fault.error != 0) {
        errno = fault.error;
        return nullptr;
    }
    return next(folder);
}
struct dirent* readdir(DIR* folder) {
    return next_entry(folder, next_function<struct dirent*(DIR*)>("readdir"));
}
struct dirent64* readdir64(DIR* folder) {
    return next_entry(folder, next_function<struct dirent64*(DIR*)>("readdir64"));
}

}  // extern "C"
