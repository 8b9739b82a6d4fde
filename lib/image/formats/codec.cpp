#include "lib/image/formats/codec.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "lib/image/formats/orientation.hpp"
#include "lib/process/memory_ceiling.hpp"

namespace fovea::codec {
namespace {

/// Memory for the rows that a decoder works on, and for the small things that every decoder has. It is not
/// counted: the beginning of a file, which a thread holds before it decodes, is as large.
std::size_t bytes_of_rows(const ImageHeader& header) {
    constexpr std::int64_t fixed = 1 << 20, of_a_column = 256, most = 32 << 20;
    return static_cast<std::size_t>(fixed + std::min(saturating_product(header.width, of_a_column), most));
}

/// Reading a header may take this much: directories and boxes are small beside pixels.
constexpr std::size_t max_header_bytes = std::size_t{16} << 20;

/// Bytes that the decoder and its result take.
std::size_t planned_bytes(ImageFormat format, const ImageHeader& header, std::size_t encoded_bytes,
                          const DecodeOptions& options) {
    const bool may_be_turned = options.apply_exif_orientation && header.orientation != 1;
    return decoded_pixels(format, header, options) *
               static_cast<std::size_t>(header.working_bytes_per_pixel + (may_be_turned ? 1 : 0)) +
           static_cast<std::size_t>(header.buffer_bytes) +
           encoded_bytes * static_cast<std::size_t>(header.copies);
}

/// Calls a decoder, which fails if it takes more memory than was planned: decoders, and libraries behind
/// them, do not tell a lack of memory from damage.
template <class Decode>
auto within(std::size_t max_bytes, const Decode& decode) {
    const MemoryCeiling ceiling(max_bytes);
    try {
        return decode();
    } catch (...) {
        if (ceiling.was_short()) throw std::bad_alloc();
        if (ceiling.was_reached())
            throw ImageError("takes more memory to decode than a picture of its size needs");
        throw;
    }
}

/// libjxl ends the process where it gets no memory, so it cannot be held to the plan, which therefore counts
/// all that its header tells.
std::size_t ceiling_of(ImageFormat format, std::size_t bytes) {
    return format == ImageFormat::jpeg_xl ? std::numeric_limits<std::size_t>::max() : bytes;
}

Picture read_picture_within(ImageFormat format, Bytes bytes, const ImageHeader& header) {
    switch (format) {
        case ImageFormat::jpeg:
            return read_jpeg_picture(bytes, header);
        case ImageFormat::png:
            return read_png_picture(bytes, header);
        case ImageFormat::tiff:
            return picture_of(decode_tiff(bytes, header));
        case ImageFormat::pnm:
            return picture_of(decode_pnm(bytes, header));
        case ImageFormat::bmp:
            return read_bmp_picture(bytes, header);
        case ImageFormat::webp:
            return read_webp_picture(bytes, header);
        case ImageFormat::gif:
            return picture_of(decode_gif(bytes, header));
        case ImageFormat::heif:
            return read_heif_picture(bytes, header);
        case ImageFormat::jpeg_xl:
            return read_jpeg_xl_picture(bytes, header);
        case ImageFormat::jpeg_2000:
            return read_jpeg_2000_picture(bytes, header);
        case ImageFormat::camera_raw:
            return read_camera_raw_picture(bytes, header);
        case ImageFormat::unknown:
        case ImageFormat::gzip:
        case ImageFormat::bzip2:
            break;
    }
    throw ImageError(describe_unknown(bytes));
}

ImageHeader read_header_within(ImageFormat format, Bytes bytes) {
    switch (format) {
        case ImageFormat::jpeg:
            return read_jpeg_header(bytes);
        case ImageFormat::png:
            return read_png_header(bytes);
        case ImageFormat::tiff:
            return read_tiff_header(MemoryAccess(bytes));
        case ImageFormat::pnm:
            return read_pnm_header(bytes);
        case ImageFormat::bmp:
            return read_bmp_header(bytes);
        case ImageFormat::webp:
            return read_webp_header(bytes);
        case ImageFormat::gif:
            return read_gif_header(bytes);
        case ImageFormat::heif:
            return read_heif_header(bytes);
        case ImageFormat::jpeg_xl:
            return read_jpeg_xl_header(bytes);
        case ImageFormat::jpeg_2000:
            return read_jpeg_2000_header(bytes);
        case ImageFormat::camera_raw:
            return read_camera_raw_header(bytes);
        case ImageFormat::unknown:
        case ImageFormat::gzip:
        case ImageFormat::bzip2:
            break;
    }
    throw ImageError(describe_unknown(bytes));
}

DecodedImage decode_stored(ImageFormat format, Bytes bytes, const ImageHeader& header,
                           const DecodeOptions& options, std::vector<std::uint8_t> room) {
    switch (format) {
        case ImageFormat::jpeg:
            return decode_jpeg(bytes, header, options.largest_reduction, std::move(room));
        case ImageFormat::tiff:
            return decode_tiff(bytes, header);
        case ImageFormat::pnm:
            return decode_pnm(bytes, header);
        case ImageFormat::gif:
            return decode_gif(bytes, header);
        case ImageFormat::camera_raw:
            return decode_camera_raw(bytes, header);
        default: {
            const Picture picture = read_picture_within(format, bytes, header);
            return {grey_of(picture.pixels), picture.orientation};
        }
    }
}

/// `decoded` as it is to be displayed, unless the options say otherwise.
DecodedImage turned(DecodedImage decoded, const DecodeOptions& options) {
    if (options.apply_exif_orientation)
        decoded.image = apply_orientation(std::move(decoded.image), decoded.orientation);
    return decoded;
}

}  // namespace

Picture picture_of(const DecodedImage& decoded) {
    const GreyImage& image = decoded.image;
    cv::Mat pixels = make_pixels(image.width, image.height, CV_8UC1);
    std::copy(image.pixels.begin(), image.pixels.end(), pixels.data);
    return {std::move(pixels), decoded.orientation};
}

ImageFormat format_of(const RandomAccess& stream) {
    std::array<std::uint8_t, 32> head{};
    const std::size_t count = stream.read_at(0, head.data(), head.size());
    const ImageFormat format = sniff(Bytes(head).first(count));
    return format == ImageFormat::tiff && is_camera_raw(stream) ? ImageFormat::camera_raw : format;
}

Picture read_picture(ImageFormat format, Bytes bytes, const ImageHeader& header) {
    constexpr std::size_t colours = 3;
    const std::size_t max_bytes = planned_bytes(format, header, bytes.size(), {}) + bytes_of_rows(header) +
                                  colours * decoded_pixels(format, header, {});
    return within(ceiling_of(format, max_bytes), [&] { return read_picture_within(format, bytes, header); });
}

// A camera's preview is taken out of its file to see how large it is.
ImageHeader read_header(ImageFormat format, Bytes bytes) {
    const std::size_t max_bytes = max_header_bytes + bytes.size();
    return within(ceiling_of(format, max_bytes), [&] { return read_header_within(format, bytes); });
}

ImageHeader read_header(const RandomAccess& tiff) {
    return within(max_header_bytes, [&] { return read_tiff_header(tiff); });
}

void check_size(const ImageHeader& header, const DecodeOptions& options) {
    const std::string size = std::to_string(header.width) + " x " + std::to_string(header.height);
    if (header.width <= 0 || header.height <= 0) throw ImageError("no pixels: its size is " + size);
    // The product of two 32-bit sides does not fit into 63 bits.
    if (header.width > options.max_pixels / header.height || header.width > 0x7fffffff ||
        header.height > 0x7fffffff)
        throw ImageError("too large: " + size + " pixels, the limit is " +
                         std::to_string(options.max_pixels) + " in all");
}

std::size_t decoded_pixels(ImageFormat format, const ImageHeader& header, const DecodeOptions& options) {
    const std::int64_t reduction =
        format == ImageFormat::jpeg ? jpeg_reduction(options.largest_reduction) : 1;
    const std::int64_t width = (header.width + reduction - 1) / reduction;
    const std::int64_t height = (header.height + reduction - 1) / reduction;
    return static_cast<std::size_t>(width * height);
}

std::size_t working_bytes(ImageFormat format, const ImageHeader& header, std::size_t encoded_bytes,
                          const DecodeOptions& options) {
    return planned_bytes(format, header, encoded_bytes, options) + encoded_bytes;
}

DecodedImage decode(ImageFormat format, Bytes bytes, const ImageHeader& header, const DecodeOptions& options,
                    std::vector<std::uint8_t> room) {
    const std::size_t max_bytes =
        planned_bytes(format, header, bytes.size(), options) + bytes_of_rows(header);
    return within(ceiling_of(format, max_bytes), [&] {
        return turned(decode_stored(format, bytes, header, options, std::move(room)), options);
    });
}

DecodedImage decode_in_parts(const RandomAccess& stream, const ImageHeader& header,
                             const DecodeOptions& options) {
    const std::size_t max_bytes =
        planned_bytes(ImageFormat::tiff, header, 0, options) + bytes_of_rows(header);
    return within(max_bytes, [&] { return turned(decode_tiff_in_parts(stream, header), options); });
}

}  // namespace fovea::codec
