#include <array>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <png.h>
#include <zlib.h>

#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/orientation.hpp"
#include "lib/image/formats/picture.hpp"

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
    std::optional<int> orientation;
};

/// Checks the chunks up to IEND and their CRCs. libpng sees no others: a damaged remark is no damaged
/// picture.
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
        } else if (intact && is("eXIf") && !result.orientation) {
            result.orientation = exif_orientation(name_and_data.subspan(4));
        }
        at += length + 12;
    }
    if (result.compressed_size == 0) throw_truncated("PNG", "no pixels");
    return result;
}

/// Type of the pixels that decode_picture() makes: palettes become colours, and alpha is left out.
int pixel_type(std::uint32_t colour_type, std::uint32_t depth) {
    const bool has_colours = (colour_type & 2) != 0;
    return CV_MAKETYPE(depth == 16 ? CV_16U : CV_8U, has_colours ? 3 : 1);
}

/// The bytes that libpng reads, and its complaint.
struct PngSource {
    Bytes bytes;
    std::size_t at = 0;
    std::array<char, 200> complaint{};
};

void read_png_source(png_structp png, png_bytep to, std::size_t length) {
    auto* const source = static_cast<PngSource*>(png_get_io_ptr(png));
    if (length > source->bytes.size() - source->at) png_error(png, "it ends before its pixels do");
    std::memcpy(to, source->bytes.data() + source->at, length);
    source->at += length;
}

[[noreturn]] void take_png_error(png_structp png, png_const_charp message) {
    auto* const source = static_cast<PngSource*>(png_get_error_ptr(png));
    std::snprintf(source->complaint.data(), source->complaint.size(), "%s", message);
    png_longjmp(png, 1);
}

void ignore_png_warning(png_structp, png_const_charp) {}

/// False if libpng gave up, which it does by a jump back here: nothing in this function has a destructor.
bool read_png_rows(png_structp png, png_infop info, PngSource& source, cv::Mat& pixels) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT: libpng's way
    // The image's size was judged before.
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
    png_set_read_fn(png, &source, read_png_source);
    png_read_info(png, info);
    const png_byte colour_type = png_get_color_type(png, info);
    if (colour_type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (colour_type == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png, info) < 8)
        png_set_expand_gray_1_2_4_to_8(png);
    if ((colour_type & PNG_COLOR_MASK_ALPHA) != 0) png_set_strip_alpha(png);
    if (std::endian::native == std::endian::little) png_set_swap(png);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != static_cast<std::size_t>(pixels.cols) * pixels.elemSize())
        png_error(png, "rows of another length than its header says");
    for (int pass = 0; pass < passes; ++pass)
        for (int y = 0; y < pixels.rows; ++y) png_read_row(png, pixels.ptr(y), nullptr);
    png_read_end(png, nullptr);
    return true;
}

class PngStruct {
  public:
    explicit PngStruct(PngSource& source)
        : png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, take_png_error, ignore_png_warning)) {
        if (png_ != nullptr) info_ = png_create_info_struct(png_);
        if (info_ == nullptr) {
            png_destroy_read_struct(&png_, nullptr, nullptr);
            throw std::bad_alloc();
        }
    }
    ~PngStruct() { png_destroy_read_struct(&png_, &info_, nullptr); }
    PngStruct(const PngStruct&) = delete;
    PngStruct& operator=(const PngStruct&) = delete;

    png_structp png() const { return png_; }
    png_infop info() const { return info_; }

  private:
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
};

cv::Mat decode_essential(Bytes bytes, const ImageHeader& header, int type) {
    cv::Mat pixels = make_pixels(header.width, header.height, type);
    PngSource source{bytes};
    const PngStruct png(source);
    if (!read_png_rows(png.png(), png.info(), source, pixels)) {
        const std::string complaint = source.complaint.data();
        if (complaint.find("memory") != std::string::npos) throw std::bad_alloc();
        throw ImageError("corrupt PNG: " + complaint);
    }
    return pixels;
}

}  // namespace

int read_png_orientation(const RandomAccess& stream) {
    constexpr int max_chunks = 1 << 20;
    std::array<std::uint8_t, 8> head{};
    std::uint64_t at = signature_size;
    for (int i = 0; i < max_chunks && stream.read_at(at, head.data(), head.size()) == head.size(); ++i) {
        const std::uint64_t length = HeaderReader(head, ByteOrder::big, "PNG").u32(0);
        if (at + 12 + length > stream.size()) break;
        if (has_magic(head, 4, "eXIf", 4)) {
            const std::optional<int> orientation = exif_orientation(stream, at + 8, length);
            if (orientation) return *orientation;
        }
        at += length + 12;
    }
    return 1;
}

ImageHeader read_png_header(Bytes bytes) {
    const HeaderReader reader(bytes, ByteOrder::big, "PNG");
    reader.u8(signature_size + first_chunk_size - 1);
    if (reader.u32(8) != 13 || !has_magic(bytes, 12, "IHDR", 4))
        throw ImageError("corrupt PNG: it does not begin with its header");
    if (crc32(0, bytes.data() + 12, 17) != reader.u32(29))
        throw ImageError("corrupt PNG: wrong checksum of the header");
    ImageHeader header{reader.u32(16), reader.u32(20), 1};
    channels_of(reader.u8(25));  // refuses unknown ones
    header.copies = 1;           // the chunks that libpng sees
    // Two rows of up to four channels of 16 bits.
    header.buffer_bytes = header.width * 2 * 8;
    header.working_bytes_per_pixel +=
        static_cast<int>(CV_ELEM_SIZE(pixel_type(reader.u8(25), reader.u8(24))));
    return header;
}

Picture read_png_picture(Bytes bytes, const ImageHeader& header) {
    const HeaderReader reader(bytes, ByteOrder::big, "PNG");
    const std::uint32_t depth = reader.u8(24), colour_type = reader.u8(25);
    const EssentialPng essential = check_chunks(bytes, colour_type == 3);
    // Deflate packs at most 1032 : 1; a picture that cannot be in so few bytes need not be allocated.
    const std::int64_t row_bytes = (header.width * channels_of(colour_type) * depth + 7) / 8;
    if (row_bytes * header.height / 1032 > static_cast<std::int64_t>(essential.compressed_size) + 1024)
        throw_truncated("PNG", std::to_string(essential.compressed_size) + " bytes cannot hold " +
                                   std::to_string(header.width) + " x " + std::to_string(header.height) +
                                   " pixels");
    return {decode_essential(essential.bytes, header, pixel_type(colour_type, depth)),
            essential.orientation.value_or(1)};
}

}  // namespace fovea::codec
