#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace fovea {

/// The extensions of files of each kind, in lower case and with their dot.
std::span<const std::string_view> image_extensions();
std::span<const std::string_view> video_extensions();
std::span<const std::string_view> archive_extensions();
/// The extensions of packed files, which stand behind an image's own.
std::span<const std::string_view> packed_extensions();

/// The length of the extension with which a name ends, in either case, behind at least one character; 0 if it
/// has none of `extensions`.
std::size_t extension_length(std::string_view name, std::span<const std::string_view> extensions);

/// True if a name has one of image_extensions(), possibly followed by .gz or .bz2.
bool is_image_name(std::string_view file_name);

/// True if a name has one of video_extensions().
bool is_video_name(std::string_view file_name);

/// True if a name has one of archive_extensions().
bool is_archive_name(std::string_view file_name);

}  // namespace fovea
