#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "lib/image/formats/decode.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/image/image_location.hpp"

namespace fovea {

/// Reads a file and decodes it to 8-bit grey, always at its full size.
///
/// JPEG (TurboJPEG, straight to grey), PNG, TIFF, PNM, BMP, WebP, GIF (first frame; giflib), each also
/// compressed with gzip or bzip2; recognised by content, never by name.
///
/// - Grey values: JPEG's own luma; all else by the integer formulas of kernels/luma/grey.hpp. Alpha is
///   ignored. One exception: of 16-bit TIFF with alpha beside grey, libtiff keeps the high byte.
/// - The first page of a TIFF, the first frame of a GIF on its logical screen (lib/image/formats/gif.cpp).
/// - EXIF orientation of JPEG, PNG (eXIf) and WebP and the orientation tag of TIFF are applied as an exact
///   permutation of pixels; a malformed EXIF block is no orientation.
/// - Incomplete or damaged pixel data is an error, never a partial image. For JPEG this means every warning
///   of libjpeg but the few that cannot concern pixels (lib/image/formats/jpeg.cpp); PNG chunks must have
///   their checksums; TIFF strips must unpack to all of their pixels (verified for none, LZW, Deflate and
///   PackBits; damage inside strips compressed with JPEG, CCITT, LZMA, Zstandard or WebP may go unseen). HEIC
///   and AVIF are decoded by FFmpeg: what it complains of, blocks that nothing was decoded for, and, as in
///   WebP and JPEG 2000, zeros at the end of coded data are damage. Damage that a format does not protect (a
///   flipped bit in a BMP) cannot be found.
/// - The size is read from the header and held against max_pixels before anything is allocated.
/// - Only regular files are read: a pipe or a device is refused, not waited for.
///
/// \throws ImageError for anything that is not a complete, decodable image within the limits; ShortageError
/// or std::bad_alloc if the machine lacks descriptors, memory or a disk that answers.
GreyImage read_grey_image(const std::filesystem::path& path, const DecodeOptions& options = {});

/// The same of a file or of a frame of a video.
GreyImage read_grey_image(const ImageLocation& place, const DecodeOptions& options = {});

/// The same of bytes in memory.
GreyImage decode_grey_image(std::span<const std::uint8_t> bytes, const DecodeOptions& options = {});

}  // namespace fovea
