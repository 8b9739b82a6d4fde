#pragma once

#include "lib/image/bytes.hpp"
#include "lib/image/tiff_directory.hpp"

namespace fovea::codec {

/// What of a TIFF directory says how pixels are stored, checked to be of a kind that can be decoded.
struct TiffLayout {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::uint32_t bits = 1;     ///< per sample
    std::uint32_t samples = 1;  ///< per pixel
    std::uint32_t compression = 1;
    std::uint32_t photometric = 0;  ///< 0 white is zero, 1 black is zero, 2 RGB, 3 palette, 5 CMYK, 6 YCbCr
    bool planar = false;            ///< each sample in strips of its own
    bool tiled = false;
    std::int64_t block_width = 0;   ///< of a tile, or of the image
    std::int64_t block_height = 0;  ///< of a tile or strip
};

TiffLayout read_tiff_layout(const TiffDirectory& directory);

/// Checks that every strip or tile lies inside the file and, where its compression is none, LZW, Deflate or
/// PackBits, that it unpacks to all of its pixels. libtiff's RGBA interface, by which OpenCV reads 8-bit
/// TIFF, fills what it cannot unpack with anything and reports success. Damage inside strips of other kinds
/// is not found here. \throws ImageError
void check_tiff_strips(Bytes bytes, const TiffDirectory& directory, const TiffLayout& layout);

}  // namespace fovea::codec
