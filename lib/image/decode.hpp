#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "lib/core/error.hpp"
#include "lib/image/image.hpp"

namespace fovea {

/// An image that cannot be decoded. The message is the bare reason ("truncated JPEG: ..."), without the path:
/// it becomes the status "unreadable: <reason>" of that image.
class ImageError : public Error {
  public:
    explicit ImageError(const std::string& reason) : Error(reason) {}
};

struct DecodeOptions {
    std::int64_t max_pixels = 400'000'000;  ///< larger images are refused before they are allocated
    bool apply_exif_orientation = true;
    /// 1, 2, 4 or 8: a prefetcher hands out JPEG pictures at 1 / this of their size, rounded up, which costs a fraction of
    /// their decoding (libjpeg's scaled inverse DCT). Other formats keep their size.
    int largest_reduction = 1;
};

/// Reads a file and decodes it to 8-bit grey, always at its full size.
///
/// JPEG (TurboJPEG, straight to grey), PNG, TIFF, PNM, BMP, WebP, GIF (first frame; giflib), each also
/// compressed with gzip or bzip2; recognised by content, never by name.
///
/// - Grey values: JPEG's own luma; all else by the integer formulas of lib/image/grey.hpp. Alpha is ignored.
///   One exception: of 16-bit TIFF with alpha beside grey, libtiff keeps the high byte.
/// - The first page of a TIFF, the first frame of a GIF on its logical screen (lib/image/gif.cpp).
/// - EXIF orientation of JPEG, PNG (eXIf) and WebP and the orientation tag of TIFF are applied as an exact
///   permutation of pixels; a malformed EXIF block is no orientation.
/// - Incomplete or damaged pixel data is an error, never a partial image. For JPEG this means every warning
///   of libjpeg but the few that cannot concern pixels (lib/image/jpeg.cpp); PNG chunks must have their
///   checksums; TIFF strips must unpack to all of their pixels (verified for none, LZW, Deflate and PackBits;
///   damage inside strips compressed with JPEG, CCITT, LZMA, Zstandard or WebP may go unseen). What a format
///   does not protect (a flipped bit in a BMP) cannot be found.
/// - The size is read from the header and held against max_pixels before anything is allocated.
/// - Only regular files are read: a pipe or a device is refused, not waited for.
///
/// \throws ImageError for anything that is not a complete, decodable image within the limits; ShortageError or std::bad_alloc
///         if the machine lacks descriptors, memory or a disk that answers.
GreyImage read_grey_image(const std::filesystem::path& path, const DecodeOptions& options = {});

/// As read_grey_image, from bytes in memory.
GreyImage decode_grey_image(std::span<const std::uint8_t> bytes, const DecodeOptions& options = {});

/// Names and versions of the decoders in use, for run.json, e.g. "libjpeg-turbo 2.1.5, OpenCV 4.6.0,
/// giflib 5.2.1".
std::string decoder_description();

}  // namespace fovea
