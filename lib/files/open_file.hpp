#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <sys/stat.h>

#include "lib/files/descriptor.hpp"

namespace fovea {

/// A file that was opened for reading, and its state at that time.
struct OpenFile {
    FileDescriptor descriptor;
    struct stat status {};

    bool is_regular() const { return S_ISREG(status.st_mode); }
    /// The size in bytes of a regular file.
    std::uint64_t size() const { return static_cast<std::uint64_t>(status.st_size); }
};

/// Opens a file, pipe or device for reading, without waiting for the other end of a pipe.
/// \return nothing, with errno set, if the system refuses.
std::optional<OpenFile> open_to_read(const std::filesystem::path& file);

}  // namespace fovea
