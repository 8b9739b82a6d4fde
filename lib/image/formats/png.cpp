#include <cstring>
#include <string>
#include <vector>

#include <zlib.h>

#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/opencv_decode.hpp"
#include "lib/image/formats/orientation.hpp"

namespace fovea::codec {
namespace {

constexpr std::size_t signature_size = 8;
constexpr std::size_t first_chunk_size = 25;  // IHDR: length, name, 13 bytes, CRC

int channels_of(std::uint32_t colour_type) {
    switch (colour_type) {
        case 0:
            return 1;
        case 2:
            return 3;
        case 3:
            return 1;
        case 4:
            return 2;
        case 6:
            return 4;
        default:
            throw ImageError("corrupt PNG: unknown colour type " + std::to_string(colour_type));
    }
}

/// A PNG of the chunks that make the pixels and no others.
struct EssentialPng {
    std::vector<std::uint8_t> bytes;
    std::size_t compressed_size = 0;
    int orientation = 1;
};

/// Checks the chunks up to IEND and their CRCs. libpng must see nothing that it would complain of: it writes
/// warnings (of a colour profile, say) and errors to the standard error stream by itself.
EssentialPng check_chunks(Bytes bytes, bool needs_palette) {
    EssentialPng result;
    result.bytes.reserve(bytes.size());
    result.bytes.insert(result.bytes.end(), bytes.begin(), bytes.begin() + signature_size);
    const HeaderReader reader(bytes, ByteOrder::big, "PNG");
    bool has_palette = false;
    for (std::size_t at = signature_size;;) {
        if (at + 12 > bytes.size()) throw_truncated("PNG", "it ends before its end-of-image chunk");
        const std::size_t length = reader.u32(at);
        if (length > bytes.size() - at - 12) throw_truncated("PNG", "it ends inside a chunk");
        const Bytes chunk = bytes.subspan(at, length + 12);
        const Bytes name_and_data = chunk.subspan(4, length + 4);
        const auto is = [&](const char* name) { return has_magic(name_and_data, 0, name, 4); };
        const bool critical = (name_and_data[0] & 0x20) == 0;
        const bool intact = crc32(0, name_and_data.data(), static_cast<uInt>(name_and_data.size())) ==
                            reader.u32(at + 8 + length);
        if (critical) {
            const std::string name(name_and_data.begin(), name_and_data.begin() + 4);
            if (!intact)
                throw ImageError("corrupt PNG: wrong checksum of a chunk, at byte " + std::to_string(at));
            if (!is("IHDR") && !is("PLTE") && !is("IDAT") && !is("IEND"))
                throw ImageError("corrupt PNG: unknown critical chunk " + name);
            if (is("IHDR") && at != signature_size) throw ImageError("corrupt PNG: a second header");
            if (is("PLTE")) has_palette = true;
            if (is("IDAT")) {
                if (needs_palette && !has_palette)
                    throw ImageError("corrupt PNG: no palette before the pixels");
                result.compressed_size += length;
            }
            result.bytes.insert(result.bytes.end(), chunk.begin(), chunk.end());
            if (is("IEND")) break;
        } else if (intact && is("eXIf")) {
            result.orientation = exif_orientation(name_and_data.subspan(4));
        }
        at += length + 12;
    }
    if (result.compressed_size == 0) throw_truncated("PNG", "no pixels");
    return result;
}

}  // namespace

ImageHeader read_png_header(Bytes bytes) {
    const HeaderReader reader(bytes, ByteOrder::big, "PNG");
    reader.u8(signature_size + first_chunk_size - 1);
    if (reader.u32(8) != 13 || !has_magic(bytes, 12, "IHDR", 4))
        throw ImageError("corrupt PNG: it does not begin with its header");
    if (crc32(0, bytes.data() + 12, 17) != reader.u32(29))
        throw ImageError("corrupt PNG: wrong checksum of the header");
    ImageHeader header{reader.u32(16), reader.u32(20), 1};
    const int stored = channels_of(reader.u8(25));
    // OpenCV decodes palettes to three channels, grey with alpha to four.
    const int decoded = stored == 1 && (reader.u8(25) == 3) ? 3 : stored == 2 ? 4 : stored;
    header.copied = true;  // without what OpenCV should not see
    header.working_bytes_per_pixel += decoded * (reader.u8(24) == 16 ? 2 : 1);
    return header;
}

DecodedImage decode_png(Bytes bytes, const ImageHeader& header) {
    const HeaderReader reader(bytes, ByteOrder::big, "PNG");
    const std::uint32_t depth = reader.u8(24), colour_type = reader.u8(25);
    const EssentialPng essential = check_chunks(bytes, colour_type == 3);
    // Deflate packs at most 1032 : 1; a picture that cannot be in so few bytes need not be allocated.
    const std::int64_t row_bytes = (header.width * channels_of(colour_type) * depth + 7) / 8;
    if (row_bytes * header.height / 1032 > static_cast<std::int64_t>(essential.compressed_size) + 1024)
        throw_truncated("PNG", std::to_string(essential.compressed_size) + " bytes cannot hold " +
                                   std::to_string(header.width) + " x " + std::to_string(header.height) +
                                   " pixels");
    return {grey_of(decode_with_opencv(essential.bytes, header, "PNG"), "PNG"), essential.orientation};
}

}  // namespace fovea::codec
