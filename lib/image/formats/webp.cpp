#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include <webp/decode.h>

#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/orientation.hpp"
#include "lib/image/formats/picture.hpp"

namespace fovea::codec {
namespace {

constexpr std::size_t riff_header = 12;

/// Calls `visit(name, place of its data, their length)` for the chunks of a file, whole ones alone, until it
/// returns false.
template <class Visit>
void walk_chunks(const RandomAccess& stream, Visit visit) {
    constexpr int max_chunks = 1 << 20;
    std::array<std::uint8_t, 8> head{};
    std::uint64_t at = riff_header;
    for (int i = 0; i < max_chunks && stream.read_at(at, head.data(), head.size()) == head.size(); ++i) {
        const std::uint64_t length = HeaderReader(head, ByteOrder::little, "WebP").u32(4);
        if (at + 8 + length > stream.size() || !visit(Bytes(head).first(4), at + 8, length)) return;
        at += 8 + length + length % 2;
    }
}

/// False for the plain format.
bool is_animated(Bytes bytes) {
    constexpr std::uint32_t animation_bit = 2;
    return has_magic(bytes, riff_header, "VP8X", 4) &&
           (HeaderReader(bytes, ByteOrder::little, "WebP").u8(riff_header + 8) & animation_bit) != 0;
}

/// Encoded pixels and their place in the picture.
struct Frame {
    Bytes bytes;
    std::int64_t left = 0, top = 0, width = 0, height = 0;
};

/// The first frame of an animation; else all of the picture.
Frame first_frame(Bytes bytes, const ImageHeader& header) {
    if (!is_animated(bytes)) return {bytes, 0, 0, header.width, header.height};
    constexpr std::size_t frame_header = 16;
    std::optional<Frame> frame;
    walk_chunks(MemoryAccess(bytes), [&](Bytes name, std::uint64_t at, std::uint64_t length) {
        if (!has_magic(name, 0, "ANMF", 4)) return true;
        const Bytes data = bytes.subspan(at, length);
        const HeaderReader reader(data, ByteOrder::little, "WebP");
        const auto number = [&](std::size_t place) -> std::int64_t {
            return reader.u16(place) | reader.u8(place + 2) << 16;
        };
        frame = {{}, 2 * number(0), 2 * number(3), 1 + number(6), 1 + number(9)};
        reader.u8(frame_header - 1);
        frame->bytes = data.subspan(frame_header);
        return false;
    });
    if (!frame) throw_truncated("WebP", "it ends before its first frame does");
    if (frame->left + frame->width > header.width || frame->top + frame->height > header.height)
        throw ImageError("corrupt WebP: a frame outside of the picture");
    return *frame;
}

/// Decoders take missing data for zeros, and so a half-copied file's zeros for data. `at` is the place of the
/// first chunk.
void check_end_of_pixels(Bytes bytes, std::size_t at) {
    const HeaderReader reader(bytes, ByteOrder::little, "WebP");
    while (at + 8 <= bytes.size()) {
        const std::size_t length = std::min<std::size_t>(reader.u32(at + 4), bytes.size() - at - 8);
        const Bytes chunk = bytes.subspan(at + 8, length);
        const bool has_pixels = has_magic(bytes, at, "VP8 ", 4) || has_magic(bytes, at, "VP8L", 4) ||
                                has_magic(bytes, at, "ALPH", 4);
        if (has_pixels) check_not_zeroed("WebP", chunk);
        at += 8 + length + length % 2;
    }
}

}  // namespace

int read_webp_orientation(const RandomAccess& stream) {
    std::optional<int> orientation;
    walk_chunks(stream, [&](Bytes name, std::uint64_t at, std::uint64_t length) {
        if (!has_magic(name, 0, "EXIF", 4)) return true;
        orientation = exif_orientation(stream, at, length);
        return !orientation;
    });
    return orientation.value_or(1);
}

ImageHeader read_webp_header(Bytes bytes) {
    const HeaderReader reader(bytes, ByteOrder::little, "WebP");
    constexpr std::size_t chunk = riff_header, data = riff_header + 8;
    ImageHeader header;
    // libwebp holds all colours of lossless pictures in 32 bits; alpha is a plane. Its tables follow the
    // picture.
    header.working_bytes_per_pixel = 1 + 3 + 4 + 1 + 1;
    header.buffer_bytes = std::int64_t{2} << 20;
    if (has_magic(bytes, chunk, "VP8X", 4)) {
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
    const Frame frame = first_frame(bytes, header);
    WebPDecoderConfig config;
    if (WebPInitDecoderConfig(&config) == 0)
        throw ImageError("WebP: libwebp is of another version than its header");
    if (WebPGetFeatures(frame.bytes.data(), frame.bytes.size(), &config.input) != VP8_STATUS_OK)
        throw ImageError("corrupt WebP: its header contradicts itself");
    if (config.input.width != frame.width || config.input.height != frame.height)
        throw ImageError("corrupt WebP: header and picture differ in size");
    cv::Mat pixels = make_pixels(header.width, header.height, CV_8UC3);
    // Black where the first frame of an animation does not cover its picture.
    if (frame.width < header.width || frame.height < header.height) pixels.setTo(cv::Scalar::all(0));
    std::uint8_t* const corner = pixels.ptr(static_cast<int>(frame.top), static_cast<int>(frame.left));
    config.output.colorspace = MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = corner;
    config.output.u.RGBA.stride = static_cast<int>(pixels.step[0]);
    config.output.u.RGBA.size = static_cast<std::size_t>(pixels.dataend - corner);
    check_end_of_pixels(frame.bytes, is_animated(bytes) ? 0 : riff_header);
    const VP8StatusCode status = WebPDecode(frame.bytes.data(), frame.bytes.size(), &config);
    if (status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
    if (status == VP8_STATUS_NOT_ENOUGH_DATA) throw_truncated("WebP", "it ends before its pixels do");
    if (status != VP8_STATUS_OK) throw ImageError("corrupt WebP: its pixels cannot be decoded");
    return {std::move(pixels), read_webp_orientation(MemoryAccess(bytes))};
}

}  // namespace fovea::codec
