#pragma once

#include <cstdint>
#include <optional>

#include "lib/image/formats/bytes.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/image/formats/random_access.hpp"
#include "lib/image/formats/tiff_directory.hpp"

namespace fovea {

/// The image as EXIF orientation `orientation` (1 to 8) wants it displayed; an exact permutation of the
/// pixels. 1 as stored, 2 mirrored left-right, 3 turned by 180 degrees, 4 mirrored top-bottom, 5 transposed,
/// 6 turned clockwise by 90 degrees, 7 transposed along the other diagonal, 8 turned counter-clockwise by 90
/// degrees. Any other number leaves the image as stored.
GreyImage apply_orientation(GreyImage image, int orientation);

namespace codec {

/// Orientation in an EXIF block (a TIFF stream, with or without "Exif\0\0" before it). Anything malformed,
/// absent or outside 1..8 is nothing: EXIF is a remark about the image, and a bad remark does not spoil the
/// image. An image has the orientation of the first of its EXIF blocks that holds one, and 1 without any.
std::optional<int> exif_orientation(Bytes exif);

/// The same of the block of `length` bytes at `at`, of which the first MiB is looked at.
std::optional<int> exif_orientation(const RandomAccess& stream, std::uint64_t at, std::uint64_t length);

/// The same of the directory of a TIFF.
std::optional<int> exif_orientation(const TiffDirectory& directory);

}  // namespace codec
}  // namespace fovea
