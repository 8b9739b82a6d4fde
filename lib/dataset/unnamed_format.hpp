#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "lib/image/formats/bytes.hpp"

namespace fovea {

/// True if the name of a file says nothing of its format: its last part has no dot.
bool has_no_extension(std::string_view name);

/// Enough of a file's bytes for begins_as_image().
constexpr std::size_t image_head_bytes = 32;

/// True if a file that begins with these bytes is an image. No text is one by chance: formats whose first
/// bytes are letters alone (PNM, BMP) must go on as they do. \param head the first image_head_bytes of the
/// file, or all.
bool begins_as_image(codec::Bytes head);

/// True for a file of a folder that has_no_extension() and begins_as_image(); false if it cannot be read, or
/// is no regular file. \throws ShortageError
bool is_unnamed_image(const std::filesystem::path& folder, const std::string& name);

}  // namespace fovea
