#pragma once

#include "lib/image/formats/image.hpp"
#include "lib/image/formats/random_access.hpp"
#include "lib/image/formats/tiff_directory.hpp"
#include "lib/image/formats/tiff_strips.hpp"

namespace fovea::codec {

/// True for the kinds of TIFF that read_tiff_in_parts() reads: grey of 1, 8 and 16 bits (8 bits also with
/// alpha), RGB with or without alpha of 8 and 16 bits, each uncompressed or by LZW, Deflate, PackBits, JPEG,
/// Zstandard or as a fax. Palettes, YCbCr, CMYK and 16-bit grey with alpha are not among them, nor ways of
/// compression whose decoders hold whole images.
bool is_read_in_parts(const TiffLayout& layout);

/// Memory that read_tiff_in_parts() holds beside the result.
std::int64_t tiff_part_bytes(const TiffDirectory& directory, const TiffLayout& layout,
                             const TiffBlocks& blocks);

/// Decodes the first picture with libtiff, as stored, and holds no more of it than a strip as it is in the
/// file and a row, or a tile, or (planes, PackBits) a strip of each plane. Whatever libtiff reports while it
/// unpacks pixels, warnings too, is damage. `layout` is of the same stream.
/// \throws ImageError
GreyImage read_tiff_in_parts(const RandomAccess& stream, const TiffLayout& layout);

/// Decodes the first picture with libtiff's conversion to RGB (TIFFReadRGBAStrip, TIFFReadRGBATile), which
/// knows palettes, YCbCr, CMYK and more, and makes grey of it. Holds a strip or tile at a time. Whatever
/// libtiff reports while it unpacks pixels is damage. `layout` is of the same stream.
/// \throws ImageError
GreyImage read_tiff_converted(const RandomAccess& stream, const TiffLayout& layout);

}  // namespace fovea::codec
