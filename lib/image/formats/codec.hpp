#pragma once

// The functions of the formats that load.cpp needs. Each format has a unit of its own (jpeg.cpp, png.cpp,
// ...) with two functions: one reads the size from the header, looking at nothing behind it, so that the size
// can be judged before anything is allocated; the other decodes. codec.cpp chooses among them.

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
    /// Most memory that a pixel takes while it is decoded, the grey result included.
    int working_bytes_per_pixel = 1;
    /// The decoder's further memory, whatever the size of the image: tiles, coefficients.
    std::int64_t buffer_bytes = 0;
    /// Further copies of the encoded bytes that the decoder takes.
    int copies = 0;
    /// EXIF's 1 to 8 where the header tells; 0 if it does not.
    int orientation = 0;
    /// The decoder reads the encoded bytes as it needs them: decode_tiff_in_parts().
    bool read_in_parts = false;
    /// The end of the pixels in the file, if the header tells (0 if not). Nothing behind is needed.
    std::size_t end_of_pixels = 0;
};

struct DecodedImage {
    GreyImage image;      ///< as stored
    int orientation = 1;  ///< EXIF's 1 to 8: what is to be done to `image` for display
    int scale = 1;        ///< `image` is 1 / scale of the picture
    int pages = 1;        ///< of the file: `image` is the first one
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
/// Needs all of the file: its preview decides.
ImageHeader read_camera_raw_header(Bytes bytes);

/// EXIF orientation, 1 to 8, of a JPEG or of its beginning up to the pixels; 1 if it has none.
int read_jpeg_orientation(Bytes bytes);
/// The same of a PNG and of a WebP, where it may stand behind the pixels, which are not read.
int read_png_orientation(const RandomAccess& stream);
int read_webp_orientation(const RandomAccess& stream);

/// The factor by which a JPEG is reduced: the largest of 1, 2, 4 and 8 that is not above `largest`.
int jpeg_reduction(int largest);

// All throw ImageError, for incomplete pixel data too. `header` is the one read from the same bytes.
/// At 1 / jpeg_reduction(largest_reduction) of its size, rounded up. \param room  memory for the pixels, if
/// it has enough
DecodedImage decode_jpeg(Bytes bytes, const ImageHeader& header, int largest_reduction = 1,
                         std::vector<std::uint8_t> room = {});
DecodedImage decode_tiff(Bytes bytes, const ImageHeader& header);
/// The same of a stream that need not be in memory, if header.read_in_parts.
DecodedImage decode_tiff_in_parts(const RandomAccess& stream, const ImageHeader& header);
DecodedImage decode_pnm(Bytes bytes, const ImageHeader& header);
DecodedImage decode_gif(Bytes bytes, const ImageHeader& header);

/// The JPEG inside as any JPEG, so in its own luma, or the developed picture in grey.
DecodedImage decode_camera_raw(Bytes bytes, const ImageHeader& header);

// The pictures have colours, but a JPEG of CMYK is grey here.
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

/// The picture in colour, as stored, of any format; in grey where the format's unit knows no colours (TIFF,
/// GIF, PNM). \throws ImageError
Picture read_picture(ImageFormat format, Bytes bytes, const ImageHeader& header);

/// The header of any known format but gzip and bzip2.
ImageHeader read_header(ImageFormat format, Bytes bytes);
/// The header of a TIFF that need not be in memory.
ImageHeader read_header(const RandomAccess& tiff);

/// True if a stream that begins as a TIFF does is a camera's raw file (DNG, CR2, NEF, ARW, PEF, ...).
bool is_camera_raw(const RandomAccess& stream);

/// The format by the first bytes, and that of a camera's raw file by the directory that they lead to.
ImageFormat format_of(const RandomAccess& stream);

/// \throws ImageError unless 0 < pixels <= options.max_pixels.
void check_size(const ImageHeader& header, const DecodeOptions& options);

/// Pixels of the grey image that decode() makes: those of the whole picture unless it is a JPEG that is
/// reduced.
std::size_t decoded_pixels(ImageFormat format, const ImageHeader& header, const DecodeOptions& options);

/// Memory in use while decode() runs: the encoded bytes (0 if they are read in parts from elsewhere), what
/// the decoder holds, and the grey result. Each decoder is held to it (MemoryCeiling), but for the rows that
/// it works on.
std::size_t working_bytes(ImageFormat format, const ImageHeader& header, std::size_t encoded_bytes,
                          const DecodeOptions& options);

/// The grey image as it is to be displayed: turned, unless the options say otherwise; `orientation` tells how
/// it was stored. `header` is checked and of the same image. \param room  memory that may be used for the
/// pixels of a JPEG
/// \throws ImageError
DecodedImage decode(ImageFormat format, Bytes bytes, const ImageHeader& header, const DecodeOptions& options,
                    std::vector<std::uint8_t> room = {});

/// The same of a TIFF that need not be in memory, if header.read_in_parts.
DecodedImage decode_in_parts(const RandomAccess& stream, const ImageHeader& header,
                             const DecodeOptions& options);

}  // namespace fovea::codec
