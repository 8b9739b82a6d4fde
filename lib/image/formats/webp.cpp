#include <new>
#include <string>
#include <utility>

#include <webp/decode.h>

#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/orientation.hpp"
#include "lib/image/formats/picture.hpp"

namespace fovea::codec {
namespace {

constexpr std::size_t riff_header = 12;

int orientation_of(Bytes bytes) {
    const HeaderReader reader(bytes, ByteOrder::little, "WebP");
    for (std::size_t at = riff_header; at + 8 <= bytes.size();) {
        const std::size_t length = reader.u32(at + 4);
        if (length > bytes.size() - at - 8) break;
        if (has_magic(bytes, at, "EXIF", 4)) return exif_orientation(bytes.subspan(at + 8, length));
        at += 8 + length + length % 2;
    }
    return 1;
}

}  // namespace

ImageHeader read_webp_header(Bytes bytes) {
    const HeaderReader reader(bytes, ByteOrder::little, "WebP");
    constexpr std::size_t chunk = riff_header, data = riff_header + 8;
    ImageHeader header;
    header.working_bytes_per_pixel = 1 + 3;
    if (has_magic(bytes, chunk, "VP8X", 4)) {
        if (reader.u8(data) & 0x02) throw ImageError("animated WebP is not supported");
        header.width = 1 + (reader.u32(data + 4) & 0xffffff);
        header.height = 1 + (reader.u16(data + 7) | reader.u8(data + 9) << 16);
    } else if (has_magic(bytes, chunk, "VP8L", 4)) {
        const std::uint32_t sizes = reader.u32(data + 1);
        header.width = 1 + (sizes & 0x3fff);
        header.height = 1 + (sizes >> 14 & 0x3fff);
    } else if (has_magic(bytes, chunk, "VP8 ", 4)) {
        header.width = reader.u16(data + 6) & 0x3fff;
        header.height = reader.u16(data + 8) & 0x3fff;
    } else {
        reader.u32(chunk);
        throw ImageError("corrupt WebP: it does not begin with a picture");
    }
    return header;
}

Picture read_webp_picture(Bytes bytes, const ImageHeader& header) {
    const std::uint64_t size = std::uint64_t{HeaderReader(bytes, ByteOrder::little, "WebP").u32(4)} + 8;
    if (size > bytes.size())
        throw_truncated("WebP", std::to_string(bytes.size()) + " bytes of " + std::to_string(size));
    WebPDecoderConfig config;
    if (WebPInitDecoderConfig(&config) == 0)
        throw ImageError("WebP: libwebp is of another version than its header");
    if (WebPGetFeatures(bytes.data(), bytes.size(), &config.input) != VP8_STATUS_OK)
        throw ImageError("corrupt WebP: its header contradicts itself");
    if (config.input.width != header.width || config.input.height != header.height)
        throw ImageError("corrupt WebP: header and picture differ in size");
    cv::Mat pixels = make_pixels(header.width, header.height, CV_8UC3);
    config.output.colorspace = MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels.data;
    config.output.u.RGBA.stride = static_cast<int>(pixels.step[0]);
    config.output.u.RGBA.size = pixels.step[0] * static_cast<std::size_t>(pixels.rows);
    const VP8StatusCode status = WebPDecode(bytes.data(), bytes.size(), &config);
    if (status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
    if (status == VP8_STATUS_NOT_ENOUGH_DATA) throw_truncated("WebP", "it ends before its pixels do");
    if (status != VP8_STATUS_OK) throw ImageError("corrupt WebP: its pixels cannot be decoded");
    return {std::move(pixels), orientation_of(bytes)};
}

}  // namespace fovea::codec
