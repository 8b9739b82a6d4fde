// C's streams, with functions of this library behind them.

#include <cstdint>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "tests/support/fault_injection/fault_plan.hpp"

namespace {

int descriptor_of(void* cookie) {
    return static_cast<int>(reinterpret_cast<std::intptr_t>(cookie));
}

ssize_t read_stream(void* cookie, char* to, std::size_t bytes) {
    return ::read(descriptor_of(cookie), to, bytes);
}

// Goes on until all is written, like the C library's own, or fails, which a smaller number tells.
ssize_t write_stream(void* cookie, const char* from, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t count = ::write(descriptor_of(cookie), from + done, bytes - done);
        if (count < 0) break;
        done += static_cast<std::size_t>(count);
    }
    return static_cast<ssize_t>(done);
}

int seek_stream(void* cookie, off64_t* offset, int whence) {
    const off64_t at = ::lseek64(descriptor_of(cookie), *offset, whence);
    if (at < 0) return -1;
    *offset = at;
    return 0;
}

int close_stream(void* cookie) {
    return ::close(descriptor_of(cookie));
}

int flags_of(const char* mode) {
    const bool is_both = std::strchr(mode, '+') != nullptr;
    int flags = *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT;
    if (is_both) flags = (flags & ~O_ACCMODE) | O_RDWR;
    if (*mode == 'w') flags |= O_TRUNC;
    if (*mode == 'a') flags |= O_APPEND;
    if (std::strchr(mode, 'x') != nullptr) flags |= O_EXCL;
    if (std::strchr(mode, 'e') != nullptr) flags |= O_CLOEXEC;
    return flags;
}

FILE* open_stream(const char* file, const char* mode) {
    const int descriptor = ::open(file, flags_of(mode), 0666);
    if (descriptor < 0) return nullptr;
    FILE* const stream = ::fopencookie(reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)), mode,
                                       {read_stream, write_stream, seek_stream, close_stream});
    if (stream == nullptr) {
        ::close(descriptor);
        return nullptr;
    }
    // For fileno(): std::fstream reads and writes by the descriptor of its stream, and others sync it.
    stream->_fileno = descriptor;
    return stream;
}

}  // namespace

extern "C" {

FILE* fopen(const char* file, const char* mode) {
    return open_stream(file, mode);
}
FILE* fopen64(const char* file, const char* mode) {
    return open_stream(file, mode);
}

}  // extern "C"
