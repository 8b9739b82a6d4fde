#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

// Limits for files that are read as a whole.
namespace fovea {

/// The most bytes of a file that is read as a whole: annotations, results, models.
inline constexpr std::size_t max_whole_file = std::size_t{4} << 30;
/// The most bytes of a file that people write: configurations, conventions.
inline constexpr std::size_t max_written_file = std::size_t{16} << 20;
/// The most bytes of a pipe or a device, which may never end.
inline constexpr std::size_t max_endless_file = std::size_t{128} << 20;

/// Reads a file as read_file() of lib/files/file.hpp does, but with another limit than max_whole_file.
/// \param max_bytes the most bytes of a regular file; max_endless_file holds for others, too.
std::string read_file(const std::filesystem::path& path, std::string_view what, std::size_t max_bytes);

}  // namespace fovea
