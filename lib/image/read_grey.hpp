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
/// It reads JPEG (by TurboJPEG, straight to grey), PNG, TIFF, PNM, BMP, WebP, GIF, HEIC, AVIF, JPEG XL, JPEG
/// 2000 and raw files of cameras, each also packed by gzip or bzip2. Names do not matter.
///
/// - Grey values are a JPEG's own luma, else by the integer formulas of kernels/luma/grey.hpp. Alpha is
///   ignored. One exception: of 16-bit TIFF with alpha beside grey, libtiff keeps the high byte.
/// - A TIFF's first page and a GIF's first frame on its logical screen are read (lib/image/formats/gif.cpp).
/// - The EXIF orientation of JPEG, PNG (eXIf) and WebP and TIFF's tag turn the image, by an exact permutation
///   of pixels; a malformed EXIF block does not.
/// - Incomplete or damaged pixel data is an error, never a partial image. JPEG: every warning of libjpeg but
///   the few that cannot concern pixels (lib/image/formats/jpeg.cpp). PNG: wrong checksums. TIFF: strips that
///   do not unpack to all of their pixels (without compression, LZW, Deflate, PackBits; damage in strips by
///   JPEG, CCITT, LZMA, Zstandard or WebP may go unseen). HEIC and AVIF, decoded by FFmpeg: its complaints,
///   and blocks that nothing was decoded for. These, WebP and JPEG 2000: zeros at the end of coded data.
///   Damage that a format does not protect (a flipped bit in a BMP) cannot be found.
/// - The header's size is checked against max_pixels before anything is allocated.
/// - Only regular files are read: a pipe or a device is refused at once.
///
/// \throws ImageError for anything that is not a complete, decodable image within the limits; ShortageError
/// or std::bad_alloc if the machine lacks descriptors, memory or a disk that answers.
GreyImage read_grey_image(const std::filesystem::path& path, const DecodeOptions& options = {});

/// Reads a file or a frame of a video.
GreyImage read_grey_image(const ImageLocation& place, const DecodeOptions& options = {});

/// Decodes the bytes of a file.
GreyImage decode_grey_image(std::span<const std::uint8_t> bytes, const DecodeOptions& options = {});

}  // namespace fovea
