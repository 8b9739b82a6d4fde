#pragma once

#include <filesystem>
#include <optional>

#include "lib/core/types.hpp"
#include "lib/image/formats/decode.hpp"

namespace fovea {

/// The size of an image as read_grey_image() would give it, turned by its EXIF orientation. For JPEG, PNM,
/// BMP and GIF only the beginning of the file is read; others (their orientation may stand behind the pixels)
/// and packed files are decoded. That pixels are complete is seen only where they are decoded.
/// \throws ImageError as read_grey_image().
ImageSize read_image_size(const std::filesystem::path& path, const DecodeOptions& options = {});

/// An image as it is stored.
struct StoredSize {
    ImageSize size;
    int orientation = 1;  ///< EXIF's, 1 to 8: what is done to it for display
};

/// The stored size and the orientation, from the beginning of the file of a JPEG, PNG, WebP or TIFF. Nothing
/// for other formats, whose orientation is part of the picture, and for files that cannot be read.
std::optional<StoredSize> read_stored_size(const std::filesystem::path& path);

}  // namespace fovea
