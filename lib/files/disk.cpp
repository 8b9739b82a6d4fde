#include "lib/files/disk.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "lib/files/descriptor.hpp"

namespace fovea {

int write_at(int descriptor, std::string_view bytes, std::uint64_t offset) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count =
            ::pwrite(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
        if (count > 0) {
            done += static_cast<std::size_t>(count);
        } else if (count == 0 || errno != EINTR) {
            return count == 0 ? ENOSPC : errno;
        }
    }
    return 0;
}

std::ptrdiff_t read_at(int descriptor, char* bytes, std::size_t count, std::uint64_t offset) {
    std::size_t done = 0;
    while (done < count) {
        const ssize_t got =
            ::pread(descriptor, bytes + done, count - done, static_cast<off_t>(offset + done));
        if (got == 0) break;
        if (got > 0) {
            done += static_cast<std::size_t>(got);
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return static_cast<std::ptrdiff_t>(done);
}

namespace {

FileDescriptor opened_folder(const std::filesystem::path& folder) {
    return FileDescriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

void sync_folder(const std::filesystem::path& file) {
    const FileDescriptor folder = opened_folder(file.has_parent_path() ? file.parent_path() : ".");
    if (folder) ::fsync(folder.get());
}

void sync_file_system(const std::filesystem::path& folder) {
    const FileDescriptor descriptor = opened_folder(folder);
    if (descriptor) ::syncfs(descriptor.get());
}

}  // namespace fovea
