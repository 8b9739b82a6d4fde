#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <string>
#include <utility>

#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/picture.hpp"

namespace fovea::codec {
namespace {

enum Compression : std::uint32_t { uncompressed = 0, rle8 = 1, rle4 = 2, bit_fields = 3 };

struct BmpHeader {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::uint32_t bits = 0;
    std::uint32_t compression = uncompressed;
    std::size_t pixels_at = 0;
    bool is_top_down = false;

    bool has_plain_rows() const { return compression == uncompressed || compression == bit_fields; }
    std::int64_t row_bytes() const { return (width * bits + 31) / 32 * 4; }
    std::int64_t end_of_rows() const { return static_cast<std::int64_t>(pixels_at) + row_bytes() * height; }
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
        const std::int64_t height = static_cast<std::int32_t>(reader.u32(22));
        header.is_top_down = height < 0;
        header.height = std::abs(height);
        header.bits = reader.u16(28);
        header.compression = reader.u32(30);
    } else {
        throw ImageError("corrupt BMP: a header of " + std::to_string(size) + " bytes");
    }
    if (header.width < 0) throw ImageError("corrupt BMP: negative width");
    return header;
}

constexpr std::size_t file_header = 14;

/// The bits of a colour in a pixel of 16 or 32 bits.
class Channel {
  public:
    explicit Channel(std::uint32_t mask)
        : mask_(mask), shift_(std::countr_zero(mask)), bits_(std::popcount(mask)) {}

    /// Without bits it is black. Fewer than 8 bits count as the upper ones of 8.
    std::uint8_t of(std::uint32_t pixel) const {
        if (mask_ == 0) return 0;
        const std::uint32_t value = (pixel & mask_) >> shift_;
        return static_cast<std::uint8_t>(bits_ <= 8 ? value << (8 - bits_) : value >> (bits_ - 8));
    }

  private:
    std::uint32_t mask_;
    int shift_;
    int bits_;
};

struct Rgb {
    std::uint8_t r = 0, g = 0, b = 0;
};
using Palette = std::array<Rgb, 256>;

/// Colours that the file does not give are black.
Palette read_palette(Bytes bytes, const BmpHeader& header) {
    const HeaderReader reader(bytes, ByteOrder::little, "BMP");
    const std::size_t size = reader.u32(file_header);
    const bool is_old = size == 12;
    const std::size_t at = file_header + size, entry = is_old ? 3 : 4;
    std::size_t count = is_old ? 0 : reader.u32(file_header + 32);
    const std::size_t most = std::size_t{1} << header.bits;
    if (count == 0 || count > most) count = most;
    Palette palette;
    for (std::size_t i = 0; i < count && at + (i + 1) * entry <= bytes.size(); ++i)
        palette[i] = {bytes[at + i * entry + 2], bytes[at + i * entry + 1], bytes[at + i * entry]};
    return palette;
}

void put(std::uint8_t* to, Rgb colour) {
    to[0] = colour.r;
    to[1] = colour.g;
    to[2] = colour.b;
}

/// Rows of the file come from the bottom unless its height is negative.
int row_of(const BmpHeader& header, const cv::Mat& pixels, std::int64_t y) {
    return static_cast<int>(header.is_top_down ? y : pixels.rows - 1 - y);
}

void read_plain_rows(Bytes bytes, const BmpHeader& header, cv::Mat& pixels) {
    const HeaderReader reader(bytes, ByteOrder::little, "BMP");
    const bool has_masks = header.compression == bit_fields;
    const bool is_short = header.bits == 16;
    const auto mask = [&](std::size_t at, std::uint32_t usual) {
        return Channel(has_masks ? reader.u32(file_header + 40 + at) : usual);
    };
    const Channel red = mask(0, is_short ? 0x7c00 : 0xff0000), green = mask(4, is_short ? 0x3e0 : 0xff00),
                  blue = mask(8, is_short ? 0x1f : 0xff);
    const Palette palette = header.bits <= 8 ? read_palette(bytes, header) : Palette{};
    for (std::int64_t y = 0; y < pixels.rows; ++y) {
        const std::uint8_t* from = bytes.data() + header.pixels_at + y * header.row_bytes();
        std::uint8_t* to = pixels.ptr(row_of(header, pixels, y));
        for (int x = 0; x < pixels.cols; ++x, to += 3) {
            const auto at = static_cast<std::size_t>(x);
            if (header.bits == 24) {
                put(to, {from[3 * at + 2], from[3 * at + 1], from[3 * at]});
            } else if (header.bits > 8) {
                const std::uint8_t* p = from + at * (header.bits / 8);
                std::uint32_t pixel = p[0] | std::uint32_t{p[1]} << 8;
                if (!is_short) pixel |= std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24;
                put(to, {red.of(pixel), green.of(pixel), blue.of(pixel)});
            } else {
                const std::size_t per_byte = 8 / header.bits;
                const std::size_t shift = 8 - header.bits * (at % per_byte + 1);
                put(to, palette[from[at / per_byte] >> shift & ((1u << header.bits) - 1)]);
            }
        }
    }
}

/// Runs of pixels of 4 or 8 bits; pixels that no run covers have the palette's first colour. Pixels beyond
/// the end of a row are left out.
class RunReader {
  public:
    RunReader(Bytes bytes, const BmpHeader& header, cv::Mat& pixels)
        : bytes_(bytes),
          header_(header),
          pixels_(pixels),
          palette_(read_palette(bytes, header)),
          at_(header.pixels_at) {}

    void read() {
        for (int y = 0; y < pixels_.rows; ++y)
            for (int x = 0; x < pixels_.cols; ++x) put(pixels_.ptr(y) + 3 * x, palette_[0]);
        while (!is_full()) {
            const std::uint8_t count = next();
            const std::uint8_t value = next();
            if (count > 0) {
                for (int i = 0; i < count; ++i) add(sample(value, i));
            } else if (value == end_of_row) {
                x_ = 0;
                ++y_;
            } else if (value == end_of_picture) {
                return;
            } else if (value == move) {
                x_ += next();
                y_ += next();
            } else {
                read_samples(value);
            }
        }
    }

  private:
    enum Escape : std::uint8_t { end_of_row = 0, end_of_picture = 1, move = 2 };

    bool is_full() const { return y_ >= pixels_.rows || (y_ == pixels_.rows - 1 && x_ >= pixels_.cols); }
    std::uint8_t next() {
        if (at_ >= bytes_.size()) throw_truncated("BMP", "it ends before its pixels do");
        return bytes_[at_++];
    }
    std::uint8_t sample(std::uint8_t byte, int i) const {
        if (header_.compression == rle8) return byte;
        return i % 2 == 0 ? byte >> 4 : byte & 15;
    }
    void add(std::uint8_t index) {
        if (y_ < pixels_.rows && x_ < pixels_.cols)
            put(pixels_.ptr(row_of(header_, pixels_, y_)) + 3 * x_, palette_[index]);
        ++x_;
    }
    /// They fill whole 16-bit words.
    void read_samples(int count) {
        const int per_byte = header_.compression == rle8 ? 1 : 2;
        const int length = (count + per_byte - 1) / per_byte;
        for (int i = 0; i < length; ++i) {
            const std::uint8_t byte = next();
            for (int j = 0; j < per_byte && i * per_byte + j < count; ++j) add(sample(byte, j));
        }
        if (length % 2 != 0) next();
    }

    Bytes bytes_;
    const BmpHeader& header_;
    cv::Mat& pixels_;
    Palette palette_;
    std::size_t at_;
    std::int64_t x_ = 0, y_ = 0;
};

}  // namespace

ImageHeader read_bmp_header(Bytes bytes) {
    const BmpHeader header = parse(bytes);
    ImageHeader result{header.width, header.height, 1 + 3};
    constexpr std::int64_t countable_side = std::int64_t{1} << 24;
    constexpr std::int64_t header_and_palette = 4096;  // wherever the pixels are said to be
    if (header.has_plain_rows() && header.bits <= 32 && header.width <= countable_side &&
        header.height <= countable_side)
        result.end_of_pixels = static_cast<std::size_t>(std::max(header.end_of_rows(), header_and_palette));
    return result;
}

Picture read_bmp_picture(Bytes bytes, const ImageHeader& size) {
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
    if (header.compression == rle8 ? header.bits != 8 : header.compression == rle4 && header.bits != 4)
        throw ImageError("corrupt BMP: runs of pixels of " + bits + " bits");
    if (header.compression == bit_fields && header.bits != 16 && header.bits != 32)
        throw ImageError("corrupt BMP: masks for pixels of " + bits + " bits");
    cv::Mat pixels = make_pixels(size.width, size.height, CV_8UC3);
    if (header.has_plain_rows())
        read_plain_rows(bytes, header, pixels);
    else
        RunReader(bytes, header, pixels).read();
    return {std::move(pixels), 1};
}

}  // namespace fovea::codec
