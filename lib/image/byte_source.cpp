#include "lib/image/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/image/decode.hpp"

namespace fovea::codec {
namespace {

constexpr const char* not_regular = "is not a regular file";

std::string reason(int error) {
    switch (error) {
        case ENOENT:
            return "no such file";
        case EACCES:
            return "permission denied";
        case ENOTDIR:
            return "a part of the path is not a directory";
        case ENXIO:  // a socket
            return not_regular;
        default:
            return std::generic_category().message(error);
    }
}

}  // namespace

FileSource::FileSource(const std::filesystem::path& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw ImageError(reason(errno));
    struct stat status {};
    std::string refusal;
    if (::fstat(descriptor_, &status) != 0)
        refusal = reason(errno);
    else if (S_ISDIR(status.st_mode))
        refusal = "is a directory";
    else if (!S_ISREG(status.st_mode))
        refusal = not_regular;
    if (!refusal.empty()) {
        ::close(descriptor_);
        throw ImageError(refusal);
    }
    size_ = static_cast<std::size_t>(status.st_size);
}

FileSource::~FileSource() {
    ::close(descriptor_);
}

std::size_t FileSource::read(std::uint8_t* to, std::size_t length) {
    std::size_t used = 0;
    while (used < length) {
        const ssize_t count = ::read(descriptor_, to + used, length - used);
        if (count == 0) break;
        if (count > 0)
            used += static_cast<std::size_t>(count);
        else if (errno != EINTR)
            throw ImageError("cannot read: " + reason(errno));
    }
    return used;
}

std::size_t MemorySource::read(std::uint8_t* to, std::size_t length) {
    const std::size_t count = std::min(length, bytes_.size());
    if (count > 0) std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return count;
}

}  // namespace fovea::codec
