#pragma once

// The functions of the formats that load.cpp needs. Each format has a unit of its own (jpeg.cpp, png.cpp,
// ...) with two functions: one reads the size from the header alone, so that it can be checked before
// anything is allocated; the other decodes. codec.cpp chooses among them.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/image/formats/bytes.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/formats/format.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/image/formats/picture.hpp"
#include "lib/image/formats/random_access.hpp"

namespace fovea::codec {

struct ImageHeader {
    std::int64_t width = 0;
    std::int64_t height = 0;
    /// The most bytes that a pixel takes while it is decoded, the grey result included.
    int working_bytes_per_pixel = 1;
    /// Further bytes that the decoder takes for tiles, coefficients and the like.
    std::int64_t buffer_bytes = 0;
    /// The number of further copies of the encoded bytes that the decoder makes.
    int copies = 0;
    /// EXIF's orientation, 1 to 8; 0 if the header does not tell it.
    int orientation = 0;
    /// The decoder reads the encoded bytes as it needs them: decode_tiff_in_parts().
    bool read_in_parts = false;
    /// The offset in the file behind which decoding needs nothing; 0 if the header does not tell it.
    std::size_t end_of_pixels = 0;
};

struct DecodedImage {
    GreyImage image;      ///< as stored, or as displayed: each function says which
    int orientation = 1;  ///< EXIF's, 1 to 8, as stored
    int scale = 1;        ///< `image` has 1 / scale of the picture's size
    int pages = 1;        ///< of the file; `image` is the first one
};

ImageHeader read_jpeg_header(Bytes bytes);
ImageHeader read_png_header(Bytes bytes);
ImageHeader read_tiff_header(const RandomAccess& stream);
ImageHeader read_pnm_header(Bytes bytes);
ImageHeader read_bmp_header(Bytes bytes);
ImageHeader read_webp_header(Bytes bytes);
ImageHeader read_gif_header(Bytes bytes);
ImageHeader read_heif_header(Bytes bytes);
ImageHeader read_jpeg_xl_header(Bytes bytes);
ImageHeader read_jpeg_2000_header(Bytes bytes);
/// Needs the whole file: its preview decides the size.
ImageHeader read_camera_raw_header(Bytes bytes);

/// The EXIF orientation, 1 to 8, of a JPEG; 1 if it has none. \param bytes the file up to the pixels.
int read_jpeg_orientation(Bytes bytes);
/// The EXIF orientation, 1 to 8, of a PNG or WebP, which may stand behind the pixels; 1 if it has none.
int read_png_orientation(const RandomAccess& stream);
int read_webp_orientation(const RandomAccess& stream);

/// The factor by which a JPEG is reduced: the largest of 1, 2, 4 and 8 that is not above `largest`.
int jpeg_reduction(int largest);

// These functions give the image as stored. All throw ImageError, also for incomplete pixel data. `header`
// must have been read from the same bytes.
/// Decodes a JPEG at 1 / jpeg_reduction(largest_reduction) of its size, rounded up. \param room memory that
/// is used for the pixels if it is large enough.
DecodedImage decode_jpeg(Bytes bytes, const ImageHeader& header, int largest_reduction = 1,
                         std::vector<std::uint8_t> room = {});
DecodedImage decode_tiff(Bytes bytes, const ImageHeader& header);
/// Decodes a TIFF whose bytes need not be in memory, if header.read_in_parts.
DecodedImage decode_tiff_in_parts(const RandomAccess& stream, const ImageHeader& header);
DecodedImage decode_pnm(Bytes bytes, const ImageHeader& header);
DecodedImage decode_gif(Bytes bytes, const ImageHeader& header);

/// Decodes the JPEG in a camera's raw file, which gives its own luma, or makes the developed picture grey.
DecodedImage decode_camera_raw(Bytes bytes, const ImageHeader& header);

// These functions give the picture in colour, as stored; a CMYK JPEG in grey. They throw ImageError.
Picture read_jpeg_picture(Bytes bytes, const ImageHeader& header);
Picture read_png_picture(Bytes bytes, const ImageHeader& header);
Picture read_bmp_picture(Bytes bytes, const ImageHeader& header);
Picture read_webp_picture(Bytes bytes, const ImageHeader& header);
Picture read_heif_picture(Bytes bytes, const ImageHeader& header);
Picture read_jpeg_xl_picture(Bytes bytes, const ImageHeader& header);
Picture read_jpeg_2000_picture(Bytes bytes, const ImageHeader& header);
Picture read_camera_raw_picture(Bytes bytes, const ImageHeader& header);

/// A grey image as a picture.
Picture picture_of(const DecodedImage& decoded);

/// Decodes a file of any format in colour, as stored; TIFF, GIF and PNM in grey. \throws ImageError
Picture read_picture(ImageFormat format, Bytes bytes, const ImageHeader& header);

/// Reads the header of any known format but gzip and bzip2. \throws ImageError
ImageHeader read_header(ImageFormat format, Bytes bytes);
/// Reads the header of a TIFF whose bytes need not be in memory. \throws ImageError
ImageHeader read_header(const RandomAccess& tiff);

/// True if a stream that begins like a TIFF is a camera's raw file (DNG, CR2, NEF, ARW, PEF, ...).
bool is_camera_raw(const RandomAccess& stream);

/// The format by sniff(); raw files of cameras are told from TIFF by their directory.
ImageFormat format_of(const RandomAccess& stream);

/// Checks a size before anything is allocated. \throws ImageError unless 0 < pixels <= options.max_pixels.
void check_size(const ImageHeader& header, const DecodeOptions& options);

/// The number of pixels of the image that decode() makes: all of the picture's unless it is a reduced JPEG.
std::size_t decoded_pixels(ImageFormat format, const ImageHeader& header, const DecodeOptions& options);

/// The bytes of memory in use while decode() runs: the encoded bytes (0 if they are read in parts), the
/// decoder's memory, and the grey result. A MemoryCeiling holds each decoder to it, but for libjxl and for
/// the rows that a decoder works on.
std::size_t working_bytes(ImageFormat format, const ImageHeader& header, std::size_t encoded_bytes,
                          const DecodeOptions& options);

/// Decodes an image to grey and, unless the options say otherwise, turns it for display; `orientation` tells
/// how it was stored. \param header read from the same bytes, and checked by check_size(). \param room memory
/// that may be used for the pixels of a JPEG. \throws ImageError; std::bad_alloc
DecodedImage decode(ImageFormat format, Bytes bytes, const ImageHeader& header, const DecodeOptions& options,
                    std::vector<std::uint8_t> room = {});

/// Decodes a TIFF whose bytes need not be in memory as decode() does, if header.read_in_parts.
DecodedImage decode_in_parts(const RandomAccess& stream, const ImageHeader& header,
                             const DecodeOptions& options);

}  // namespace fovea::codec
