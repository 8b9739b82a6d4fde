#include "lib/image/formats/bytes.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "lib/image/formats/decode.hpp"

namespace fovea::codec {

void HeaderReader::fail() const {
    throw_truncated(format_, "it ends after " + std::to_string(bytes_.size()) + " bytes, inside its header");
}

bool has_magic(Bytes bytes, std::size_t at, const char* magic, std::size_t length) {
    return bytes.size() >= at + length && std::memcmp(bytes.data() + at, magic, length) == 0;
}

std::int64_t saturating_product(std::int64_t a, std::int64_t b, std::int64_t c) {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    if (a == 0 || b == 0 || c == 0) return 0;
    if (a > largest / b) return largest;
    return a * b > largest / c ? largest : a * b * c;
}

std::size_t zeros_at_end(Bytes bytes) {
    const auto last = std::find_if(bytes.rbegin(), bytes.rend(), [](std::uint8_t byte) { return byte != 0; });
    return static_cast<std::size_t>(last - bytes.rbegin());
}

void check_not_zeroed(const char* format, Bytes coded) {
    if (const std::size_t zeros = zeros_at_end(coded); zeros > max_zeros_at_end)
        throw_truncated(format, "its pixels end in " + std::to_string(zeros) + " zeros");
}

void throw_truncated(const char* format, const std::string& what) {
    throw ImageError(std::string("truncated ") + format + ": " + what);
}

}  // namespace fovea::codec
