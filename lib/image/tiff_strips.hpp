#pragma once

#include <cstdint>
#include <vector>

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

/// The strips or tiles in the order of the file's list of them: by rows, and of planar images plane after plane.
struct TiffBlocks {
    std::vector<std::uint32_t> offsets;
    std::vector<std::uint32_t> lengths;
    std::int64_t count = 0;   ///< of those that hold the image's pixels
    std::int64_t across = 0;  ///< tiles beside one another; 1 for strips
};

TiffBlocks read_tiff_blocks(const TiffDirectory& directory, const TiffLayout& layout);

/// The most bytes that check_tiff_blocks() holds at a time.
std::uint32_t checked_tiff_bytes(const TiffBlocks& blocks, const TiffLayout& layout);

/// Checks that every strip or tile lies inside the file and, where its compression is none, LZW, Deflate or
/// PackBits, that it unpacks to all of its pixels, and that Deflate's checksum agrees, which libtiff does not look at.
/// libtiff's RGBA interface, by which OpenCV reads 8-bit TIFF, fills what it cannot unpack with anything and reports
/// success. Damage inside strips of other kinds is not found here. \throws ImageError
void check_tiff_blocks(const RandomAccess& stream, const TiffDirectory& directory, const TiffLayout& layout,
                       const TiffBlocks& blocks);

}  // namespace fovea::codec
