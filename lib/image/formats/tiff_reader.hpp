#pragma once

#include "lib/image/formats/image.hpp"
#include "lib/image/formats/random_access.hpp"
#include "lib/image/formats/tiff_directory.hpp"
#include "lib/image/formats/tiff_strips.hpp"

namespace fovea::codec {

/// True for pictures of luma and chroma, whose conversion to colours is libtiff's: read_tiff_converted()
/// reads them. read_tiff_in_parts() reads all others that check_tiff_support() lets pass.
bool is_converted_by_libtiff(const TiffLayout& layout);

/// True if read_tiff_in_parts() reads the picture and needs no more memory than tiff_part_bytes(): it is not
/// compressed, or by LZW, Deflate, PackBits, JPEG, Zstandard or a fax coding. Other decoders hold
/// whole images.
bool is_read_in_parts(const TiffLayout& layout);

/// Checks that a picture is of a kind that is read: grey of 1, 2, 4, 8 and 16 bits, palettes of 1, 2, 4 and 8
/// bits, RGB and CMYK of 8 and 16 bits, YCbCr of 8 bits; each with up to three ignored samples.
/// \throws ImageError that names what is not supported.
void check_tiff_support(const TiffDirectory& directory, const TiffLayout& layout);

/// The bytes of memory that read_tiff_in_parts() holds beside the result.
std::int64_t tiff_part_bytes(const TiffDirectory& directory, const TiffLayout& layout,
                             const TiffBlocks& blocks);

/// Decodes a directory's picture with libtiff, as stored. It holds only a strip as it is in the file and a
/// row, or a tile, or (planes, PackBits) a strip of each plane. Whatever libtiff reports while it unpacks
/// pixels, warnings too, is damage. \param directory of the same stream. \param layout of the directory.
/// \throws ImageError
GreyImage read_tiff_in_parts(const RandomAccess& stream, const TiffDirectory& directory,
                             const TiffLayout& layout);

/// Decodes a directory's picture with libtiff's conversion to RGB (TIFFReadRGBAStrip, TIFFReadRGBATile) and
/// makes it grey. It holds a strip or tile at a time. Reports of libtiff on pixels are damage.
/// \param directory of the same stream. \param layout of the directory.
/// \throws ImageError
GreyImage read_tiff_converted(const RandomAccess& stream, const TiffDirectory& directory,
                              const TiffLayout& layout);

}  // namespace fovea::codec
