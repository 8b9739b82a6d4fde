#include "lib/image/formats/codec.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lib/image/formats/orientation.hpp"

namespace fovea::codec {
namespace {

/// Decodes by a library that does not tell a lack of memory from damage. Where it refuses an image although
/// there is memory, it is asked once more: damage is refused again.
template <class Decode>
auto decode_twice(const ImageHeader& header, const Decode& decode) {
    try {
        return decode();
    } catch (const ImageError&) {
        make_pixels(header.width, header.height, CV_8UC4);  // not touched, and so takes none
        return decode();
    }
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
            return decode_twice(header, [&] { return decode_camera_raw(bytes, header); });
        default: {
            const Picture picture = read_picture(format, bytes, header);
            return {grey_of(picture.pixels), picture.orientation};
        }
    }
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
    switch (format) {
        case ImageFormat::jpeg:
            return read_jpeg_picture(bytes, header);
        case ImageFormat::png:
            return decode_twice(header, [&] { return read_png_picture(bytes, header); });
        case ImageFormat::tiff:
            return picture_of(decode_tiff(bytes, header));
        case ImageFormat::pnm:
            return picture_of(decode_pnm(bytes, header));
        case ImageFormat::bmp:
            return read_bmp_picture(bytes, header);
        case ImageFormat::webp:
            return decode_twice(header, [&] { return read_webp_picture(bytes, header); });
        case ImageFormat::gif:
            return picture_of(decode_gif(bytes, header));
        case ImageFormat::heif:
            return decode_twice(header, [&] { return read_heif_picture(bytes, header); });
        case ImageFormat::jpeg_xl:
            return decode_twice(header, [&] { return read_jpeg_xl_picture(bytes, header); });
        case ImageFormat::jpeg_2000:
            return decode_twice(header, [&] { return read_jpeg_2000_picture(bytes, header); });
        case ImageFormat::camera_raw:
            return decode_twice(header, [&] { return read_camera_raw_picture(bytes, header); });
        case ImageFormat::unknown:
        case ImageFormat::gzip:
        case ImageFormat::bzip2:
            break;
    }
    throw ImageError(describe_unknown(bytes));
}

ImageHeader read_header(ImageFormat format, Bytes bytes) {
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
    const bool may_be_turned = options.apply_exif_orientation && header.orientation != 1;
    return decoded_pixels(format, header, options) *
               static_cast<std::size_t>(header.working_bytes_per_pixel + (may_be_turned ? 1 : 0)) +
           static_cast<std::size_t>(header.buffer_bytes) + encoded_bytes * (header.copied ? 2 : 1);
}

DecodedImage decode(ImageFormat format, Bytes bytes, const ImageHeader& header, const DecodeOptions& options,
                    std::vector<std::uint8_t> room) {
    return turned(decode_stored(format, bytes, header, options, std::move(room)), options);
}

DecodedImage turned(DecodedImage decoded, const DecodeOptions& options) {
    if (options.apply_exif_orientation)
        decoded.image = apply_orientation(std::move(decoded.image), decoded.orientation);
    return decoded;
}

}  // namespace fovea::codec
