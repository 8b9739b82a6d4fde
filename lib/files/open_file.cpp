#include "lib/files/open_file.hpp"

#include <cerrno>

#include <fcntl.h>

namespace fovea {
namespace {

// Network file systems let a signal end even this.
FileDescriptor opened(const std::filesystem::path& file) {
    for (;;) {
        FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
        if (descriptor || errno != EINTR) return descriptor;
    }
}

}  // namespace

std::optional<OpenFile> open_to_read(const std::filesystem::path& file) {
    OpenFile open{opened(file)};
    if (!open.descriptor) return std::nullopt;
    if (::fstat(open.descriptor.get(), &open.status) == 0) return open;
    const int error = errno;
    open.descriptor.reset();
    errno = error;
    return std::nullopt;
}

}  // namespace fovea
