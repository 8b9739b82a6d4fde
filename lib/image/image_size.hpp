#pragma once

#include <filesystem>
#include <optional>

#include "lib/core/types.hpp"
#include "lib/image/formats/decode.hpp"

namespace fovea {

/// The size of the image that read_grey_image() would give. It reads only the beginning of JPEG, PNM, BMP,
/// GIF, HEIF, JPEG XL and JPEG 2000 files; it decodes others, whose orientation may stand behind the pixels,
/// and packed files. Missing pixels are noticed only in files that are decoded.
/// \throws ImageError as read_grey_image().
ImageSize read_image_size(const std::filesystem::path& path, const DecodeOptions& options = {});

/// An image as it is stored.
struct StoredSize {
    ImageSize size;
    int orientation = 1;  ///< EXIF's, 1 to 8
};

/// The stored size and the orientation of a JPEG, PNG, WebP or TIFF, without decoding it. Nothing for other
/// formats, whose orientation is part of the picture, and for files that cannot be read.
std::optional<StoredSize> read_stored_size(const std::filesystem::path& path);

}  // namespace fovea
