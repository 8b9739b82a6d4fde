#include <cstring>
#include <string>
#include <vector>

#include "kernels/luma/grey.hpp"
#include "lib/image/formats/codec.hpp"

// Read here and not by OpenCV, which takes the samples of a binary file with a maximum other than 255 or
// 65535 as they are, so that a 10-bit image comes out nearly black.

namespace fovea::codec {
namespace {

bool is_space(std::uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Reads the words of the header, and the samples of the plain (text) kinds.
class PnmReader {
  public:
    explicit PnmReader(Bytes bytes) : bytes_(bytes) {}

    std::size_t position() const { return at_; }

    std::uint32_t number() {
        skip_space();
        std::uint64_t value = 0;
        const std::size_t begin = at_;
        for (; at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9'; ++at_) {
            value = value * 10 + (bytes_[at_] - '0');
            if (value > 0xffffffff) throw ImageError("corrupt PNM: a number of more than 32 bits");
        }
        if (at_ == begin) not_a_number();
        return static_cast<std::uint32_t>(value);
    }

    /// A pixel of P1: these need no space between them.
    bool bit() {
        skip_space();
        if (at_ >= bytes_.size() || (bytes_[at_] != '0' && bytes_[at_] != '1')) not_a_number();
        return bytes_[at_++] == '1';
    }

    /// The single space character between the header and binary samples.
    void end_of_header() {
        if (at_ >= bytes_.size()) throw_truncated("PNM", "it ends inside its header");
        if (!is_space(bytes_[at_])) not_a_number();
        ++at_;
    }

  private:
    void skip_space() {
        for (; at_ < bytes_.size(); ++at_) {
            if (bytes_[at_] == '#')
                while (at_ < bytes_.size() && bytes_[at_] != '\n' && bytes_[at_] != '\r') ++at_;
            if (at_ >= bytes_.size() || !is_space(bytes_[at_])) break;
        }
    }

    [[noreturn]] void not_a_number() const {
        if (at_ >= bytes_.size()) throw_truncated("PNM", "it ends after " + std::to_string(at_) + " bytes");
        throw ImageError("corrupt PNM: byte " + std::to_string(at_) + " is not part of a number");
    }

    Bytes bytes_;
    std::size_t at_ = 2;
};

struct PnmHeader {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::uint32_t maximum = 1;
    bool bitmap = false, colour = false, plain = false;

    std::int64_t samples() const { return width * height * (colour ? 3 : 1); }
    int bytes_per_sample() const { return maximum > 255 ? 2 : 1; }
};

PnmHeader parse(PnmReader& reader, Bytes bytes) {
    const int kind = bytes[1] - '0';
    PnmHeader header;
    header.bitmap = kind == 1 || kind == 4;
    header.colour = kind == 3 || kind == 6;
    header.plain = kind <= 3;
    header.width = reader.number();
    header.height = reader.number();
    if (!header.bitmap) {
        header.maximum = reader.number();
        if (header.maximum < 1 || header.maximum > 65535)
            throw ImageError("corrupt PNM: maximum " + std::to_string(header.maximum) +
                             " is not in 1..65535");
    }
    reader.end_of_header();
    return header;
}

/// Bytes of the samples; at least as many where they are text.
std::int64_t sample_bytes(const PnmHeader& header) {
    return header.plain    ? (header.bitmap ? header.samples() : 2 * header.samples() - 1)
           : header.bitmap ? (header.width + 7) / 8 * header.height
                           : header.samples() * header.bytes_per_sample();
}

/// Before anything is allocated: can the file hold that many samples?
void check_length(const PnmHeader& header, std::size_t available) {
    const std::int64_t needed = sample_bytes(header);
    if (static_cast<std::int64_t>(available) < needed)
        throw_truncated("PNM", std::to_string(available) + " bytes of pixels of " +
                                   (header.plain ? "at least " : "") + std::to_string(needed));
}

}  // namespace

ImageHeader read_pnm_header(Bytes bytes) {
    PnmReader reader(bytes);
    const PnmHeader header = parse(reader, bytes);
    ImageHeader result{header.width, header.height, 1};
    constexpr std::int64_t countable = std::int64_t{1} << 50;
    if (!header.plain && header.height > 0 && header.width <= countable / header.height)
        result.end_of_pixels = reader.position() + static_cast<std::size_t>(sample_bytes(header));
    return result;
}

DecodedImage decode_pnm(Bytes bytes, const ImageHeader&) {
    PnmReader reader(bytes);
    const PnmHeader header = parse(reader, bytes);
    const Bytes data = bytes.subspan(reader.position());
    check_length(header, data.size());
    const auto count = static_cast<std::size_t>(header.width * header.height);
    GreyImage image{static_cast<int>(header.width), static_cast<int>(header.height),
                    std::vector<std::uint8_t>(count)};
    if (header.bitmap) {
        // 1 is black. Binary rows begin on a byte each.
        const std::size_t row_bytes = static_cast<std::size_t>(header.width + 7) / 8;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t x = i % static_cast<std::size_t>(header.width);
            const std::size_t y = i / static_cast<std::size_t>(header.width);
            const bool black =
                header.plain ? reader.bit() : (data[y * row_bytes + x / 8] >> (7 - x % 8) & 1) != 0;
            image.pixels[i] = black ? 0 : 255;
        }
        return {std::move(image), 1};
    }
    std::size_t at = 0;
    const auto sample = [&]() -> std::uint32_t {
        if (header.plain) return byte_of_sample(reader.number(), header.maximum);
        std::uint32_t value = data[at++];
        if (header.maximum > 255) value = value << 8 | data[at++];
        return byte_of_sample(value, header.maximum);
    };
    for (std::uint8_t& pixel : image.pixels) {
        const std::uint32_t first = sample();
        if (!header.colour) {
            pixel = static_cast<std::uint8_t>(first);
            continue;
        }
        const std::uint32_t green = sample();
        const std::uint32_t blue = sample();
        pixel = grey_of_rgb(first, green, blue);
    }
    return {std::move(image), 1};
}

}  // namespace fovea::codec
