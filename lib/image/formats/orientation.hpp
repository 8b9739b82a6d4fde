#pragma once

#include <cstdint>
#include <optional>

#include "lib/image/formats/bytes.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/image/formats/random_access.hpp"
#include "lib/image/formats/tiff_directory.hpp"

namespace fovea {

/// Turns an image for display, by an exact permutation of its pixels. \param orientation EXIF's: 1 as stored,
/// 2 mirrored left-right, 3 turned by 180 degrees, 4 mirrored top-bottom, 5 transposed, 6 turned clockwise by
/// 90 degrees, 7 transposed along the other diagonal, 8 turned counter-clockwise by 90 degrees. Any other
/// number leaves the image as stored.
GreyImage apply_orientation(GreyImage image, int orientation);

namespace codec {

/// The orientation, 1 to 8, in an EXIF block (a TIFF stream, with or without "Exif\0\0" before it). Nothing
/// if it is malformed, absent or out of range: a bad EXIF block does not spoil the image. The first EXIF
/// block of an image that has an orientation decides; without any it is 1.
std::optional<int> exif_orientation(Bytes exif);

/// The orientation in the EXIF block of `length` bytes at offset `at`, of which the first MiB is read.
/// \throws ImageError if the stream cannot be read.
std::optional<int> exif_orientation(const RandomAccess& stream, std::uint64_t at, std::uint64_t length);

/// The orientation in the directory of a TIFF; nothing if it is malformed, absent or out of range.
std::optional<int> exif_orientation(const TiffDirectory& directory);

}  // namespace codec
}  // namespace fovea
