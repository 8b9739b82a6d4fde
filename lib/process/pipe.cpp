#include "lib/process/pipe.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "lib/core/error.hpp"

namespace fovea {

Pipe::Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    reading = FileDescriptor(ends[0]);
    writing = FileDescriptor(ends[1]);
}

}  // namespace fovea
