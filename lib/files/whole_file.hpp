#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

// Bounds of what is read as a whole.
namespace fovea {

/// The most bytes of a file that is read as a whole: annotations, results, models.
inline constexpr std::size_t max_whole_file = std::size_t{4} << 30;
/// The limit for files that people write: configurations, conventions.
inline constexpr std::size_t max_written_file = std::size_t{16} << 20;
/// The limit for a pipe or a device, which may never end.
inline constexpr std::size_t max_endless_file = std::size_t{128} << 20;

/// The same as read_file() of two arguments (lib/files/file.hpp), which takes max_whole_file.
/// \param max_bytes of a regular file; others have max_endless_file at most. \throws Error if it is longer.
std::string read_file(const std::filesystem::path& path, std::string_view what, std::size_t max_bytes);

}  // namespace fovea
