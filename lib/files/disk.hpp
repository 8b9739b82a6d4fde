#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace fovea {

/// Writes all bytes at an offset of a file, with as many system calls as that takes.
/// \return 0, or the error's errno; ENOSPC if the system writes nothing and does not say why.
int write_at(int descriptor, std::string_view bytes, std::uint64_t offset);

/// Reads from an offset of a file until `count` bytes are there or the file ends.
/// \return how many were read; -1 with errno if that fails.
std::ptrdiff_t read_at(int descriptor, char* bytes, std::size_t count, std::uint64_t offset);

/// Makes sure that the name of a file is on the disk. Errors are ignored: file systems that cannot do it have
/// no need of it.
void sync_folder(const std::filesystem::path& file);

/// Makes sure that all that was written to the file system of a folder is on the disk, with one call however
/// many files there are. Errors are ignored, as of sync_folder().
void sync_file_system(const std::filesystem::path& folder);

}  // namespace fovea
