#include <algorithm>
#include <cstdlib>
#include <string>

#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/opencv_decode.hpp"

namespace fovea::codec {
namespace {

enum Compression : std::uint32_t { uncompressed = 0, rle8 = 1, rle4 = 2, bit_fields = 3 };

struct BmpHeader {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::uint32_t bits = 0;
    std::uint32_t compression = uncompressed;
    std::size_t pixels_at = 0;

    bool has_plain_rows() const { return compression == uncompressed || compression == bit_fields; }
    std::int64_t end_of_rows() const {
        const std::int64_t row_bytes = (width * bits + 31) / 32 * 4;
        return static_cast<std::int64_t>(pixels_at) + row_bytes * height;
    }
};

BmpHeader parse(Bytes bytes) {
    const HeaderReader reader(bytes, ByteOrder::little, "BMP");
    BmpHeader header;
    header.pixels_at = reader.u32(10);
    const std::uint32_t size = reader.u32(14);
    if (size == 12) {
        header.width = reader.u16(18);
        header.height = reader.u16(20);
        header.bits = reader.u16(24);
    } else if (size >= 36 && size <= 256) {
        header.width = static_cast<std::int32_t>(reader.u32(18));
        // Negative: rows from the top.
        header.height = std::abs(std::int64_t{static_cast<std::int32_t>(reader.u32(22))});
        header.bits = reader.u16(28);
        header.compression = reader.u32(30);
    } else {
        throw ImageError("corrupt BMP: a header of " + std::to_string(size) + " bytes");
    }
    if (header.width < 0) throw ImageError("corrupt BMP: negative width");
    return header;
}

}  // namespace

ImageHeader read_bmp_header(Bytes bytes) {
    const BmpHeader header = parse(bytes);
    ImageHeader result{header.width, header.height, 1 + (header.bits == 32 ? 4 : 3)};
    constexpr std::int64_t countable_side = std::int64_t{1} << 24;
    constexpr std::int64_t header_and_palette = 4096;  // wherever the pixels are said to be
    if (header.has_plain_rows() && header.bits <= 32 && header.width <= countable_side &&
        header.height <= countable_side)
        result.end_of_pixels = static_cast<std::size_t>(std::max(header.end_of_rows(), header_and_palette));
    return result;
}

DecodedImage decode_bmp(Bytes bytes, const ImageHeader& size) {
    const BmpHeader header = parse(bytes);
    const std::string bits = std::to_string(header.bits);
    switch (header.bits) {
        case 1:
        case 4:
        case 8:
        case 16:
        case 24:
        case 32:
            break;
        default:
            throw ImageError("BMP with " + bits + " bits per pixel is not supported");
    }
    if (header.compression > bit_fields)
        throw ImageError("BMP with compression " + std::to_string(header.compression) + " is not supported");
    if (header.has_plain_rows()) {
        const std::int64_t end = header.end_of_rows();
        if (end > static_cast<std::int64_t>(bytes.size()))
            throw_truncated("BMP", std::to_string(bytes.size()) + " bytes of " + std::to_string(end));
    } else if (header.pixels_at >= bytes.size()) {
        throw_truncated("BMP", "no pixels");
    }
    return {grey_of(decode_with_opencv(bytes, size, "BMP"), "BMP"), 1};
}

}  // namespace fovea::codec
