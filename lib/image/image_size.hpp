#pragma once

#include <filesystem>

#include "lib/core/types.hpp"
#include "lib/image/formats/decode.hpp"

namespace fovea {

/// The size of an image as read_grey_image() would give it, turned by its EXIF orientation. For JPEG, PNM,
/// BMP and GIF only the beginning of the file is read; others (their orientation may stand behind the pixels)
/// and packed files are decoded. That pixels are complete is seen only where they are decoded.
/// \throws ImageError as read_grey_image().
ImageSize read_image_size(const std::filesystem::path& path, const DecodeOptions& options = {});

}  // namespace fovea
