#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace fovea {

/// The names that files of each kind end with, in lower case and with their dot.
std::span<const std::string_view> image_extensions();
std::span<const std::string_view> video_extensions();
std::span<const std::string_view> archive_extensions();
/// Extensions of packed files, which stand behind an image's own.
std::span<const std::string_view> packed_extensions();

/// The length of the one of `extensions` that a name has, in either case, behind at least one character; 0 if
/// it has none.
std::size_t extension_length(std::string_view name, std::span<const std::string_view> extensions);

/// True if a file's name ends as an image's of a format that is read, possibly followed by .gz or .bz2.
bool is_image_name(std::string_view file_name);

/// True if a file's name ends as those of videos do.
bool is_video_name(std::string_view file_name);

/// True if a file's name ends as those of archives that are read do.
bool is_archive_name(std::string_view file_name);

}  // namespace fovea
