#pragma once

#include <array>
#include <cstdint>

#include "lib/image/formats/bytes.hpp"
#include "lib/image/formats/tiff_directory.hpp"

namespace fovea::codec {

/// TIFF's numbers of compression.
enum class TiffCompression : std::uint32_t {
    none = 1,
    fax_rows = 2,
    fax_group3 = 3,
    fax_group4 = 4,
    lzw = 5,
    jpeg = 7,
    adobe_deflate = 8,
    pack_bits = 32773,
    deflate = 32946,
    lzma = 34925,
    zstandard = 50000,
};

/// The part of a TIFF directory that says how its pixels are stored.
struct TiffLayout {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::uint32_t bits = 1;     ///< per sample
    std::uint32_t samples = 1;  ///< per pixel
    TiffCompression compression = TiffCompression::none;
    std::uint32_t photometric = 0;  ///< 0 white is zero, 1 black is zero, 2 RGB, 3 palette, 5 CMYK, 6 YCbCr
    bool planar = false;            ///< each sample has strips of its own
    bool tiled = false;
    std::int64_t block_width = 0;   ///< a tile's, or the image's
    std::int64_t block_height = 0;  ///< a tile's, or a strip's
};

TiffLayout read_tiff_layout(const TiffDirectory& directory);

/// The strips or tiles that hold the image's pixels, in the order of the file's lists: row by row, for planar
/// images plane by plane.
struct TiffBlocks {
    std::int64_t count = 0;
    std::int64_t across = 0;    ///< tiles in a row; 1 for strips
    std::uint32_t longest = 0;  ///< the most stored bytes of a strip or tile
};

/// The tags of the lists of offsets and lengths of strips and tiles.
inline constexpr std::array<std::uint32_t, 4> tiff_block_tags = {273, 279, 324, 325};

/// Reads the lists of strips or tiles, in small parts, however long they claim to be. \throws ImageError if
/// they are too short, or have more than 2^24 entries.
TiffBlocks read_tiff_blocks(const TiffDirectory& directory, const TiffLayout& layout);

/// Checks that every strip or tile lies inside the file. If its compression is none, LZW, Deflate or
/// PackBits, also that it unpacks to all of its pixels and that Deflate's checksum agrees, which libtiff does
/// not check: its RGBA interface, by which OpenCV reads 8-bit TIFF, reports success although pixels are
/// missing. Damage in strips of other kinds is not found here. It holds one strip or tile at a time.
/// \throws ImageError
void check_tiff_blocks(const RandomAccess& stream, const TiffDirectory& directory, const TiffLayout& layout,
                       const TiffBlocks& blocks);

}  // namespace fovea::codec
