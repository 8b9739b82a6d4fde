#pragma once

// What decode.cpp and prefetch.cpp need of the formats. Each format has two functions: one reads the size
// from the header, looking at nothing behind it, so that the size can be judged before anything is allocated;
// the other decodes.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "lib/image/bytes.hpp"
#include "lib/image/decode.hpp"
#include "lib/image/format.hpp"
#include "lib/image/image.hpp"

namespace fovea::codec {

struct ImageHeader {
    std::int64_t width = 0;
    std::int64_t height = 0;
    int working_bytes_per_pixel =
        1;  ///< most memory a pixel takes while it is decoded, the grey result included
};

struct DecodedImage {
    GreyImage image;      ///< as stored
    int orientation = 1;  ///< EXIF's 1 to 8: what is to be done to `image` for display
};

ImageHeader read_jpeg_header(Bytes bytes);
ImageHeader read_png_header(Bytes bytes);
ImageHeader read_tiff_header(Bytes bytes);
ImageHeader read_pnm_header(Bytes bytes);
ImageHeader read_bmp_header(Bytes bytes);
ImageHeader read_webp_header(Bytes bytes);
ImageHeader read_gif_header(Bytes bytes);

// All throw ImageError, for incomplete pixel data too. `header` is the one read from the same bytes.
DecodedImage decode_jpeg(Bytes bytes, const ImageHeader& header);
DecodedImage decode_png(Bytes bytes, const ImageHeader& header);
DecodedImage decode_tiff(Bytes bytes, const ImageHeader& header);
DecodedImage decode_pnm(Bytes bytes, const ImageHeader& header);
DecodedImage decode_bmp(Bytes bytes, const ImageHeader& header);
DecodedImage decode_webp(Bytes bytes, const ImageHeader& header);
DecodedImage decode_gif(Bytes bytes, const ImageHeader& header);

/// The header of any known format but gzip and bzip2.
ImageHeader read_header(ImageFormat format, Bytes bytes);

/// \throws ImageError unless 0 < pixels <= options.max_pixels.
void check_size(const ImageHeader& header, const DecodeOptions& options);

/// Chooses the most bytes that a compressed stream may unpack to, from its first unpacked bytes; may throw
/// ImageError if these show that it is of no use to go on.
using UnpackLimit = std::function<std::size_t(Bytes prefix)>;

/// Unpacks a gzip or bzip2 stream of one or more members; anything behind the last member is ignored, as by
/// the gzip and bzip2 programs. The limit is asked once, with the first `prefix_bytes` unpacked bytes (fewer
/// if there are no more). \throws ImageError if the stream is truncated, corrupt or passes the limit.
std::vector<std::uint8_t> unpack_gzip(Bytes bytes, const UnpackLimit& limit);
std::vector<std::uint8_t> unpack_bzip2(Bytes bytes, const UnpackLimit& limit);
constexpr std::size_t prefix_bytes = std::size_t{256} << 10;

/// An image that was read (and unpacked) but not yet decoded; its size has been checked.
class EncodedImage {
  public:
    EncodedImage(EncodedImage&&) = default;
    EncodedImage& operator=(EncodedImage&&) = default;

    /// Reads a file. \throws ImageError
    static EncodedImage read(const std::filesystem::path& path, const DecodeOptions& options);
    /// Refers to `bytes`, which must outlive it, unless they had to be unpacked. \throws ImageError
    static EncodedImage from_bytes(Bytes bytes, const DecodeOptions& options);

    /// Memory in use while decode() runs: the encoded bytes, the decoder's own picture, and the grey result.
    std::size_t working_bytes() const;
    GreyImage decode(const DecodeOptions& options) const;

  private:
    EncodedImage() = default;
    void unpack_and_check(const DecodeOptions& options);

    std::vector<std::uint8_t> storage_;
    Bytes bytes_;  ///< into storage_ (whose buffer a move keeps) or the caller's memory
    ImageFormat format_ = ImageFormat::unknown;
    ImageHeader header_;
};

}  // namespace fovea::codec
