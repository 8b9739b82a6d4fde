#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace fovea::codec {

using Bytes = std::span<const std::uint8_t>;

enum class ByteOrder { little, big };

/// Reads numbers at offsets of a header. Reading past the end throws an ImageError that names the format.
class HeaderReader {
  public:
    HeaderReader(Bytes bytes, ByteOrder order, const char* format)
        : bytes_(bytes), order_(order), format_(format) {}

    std::uint32_t u8(std::size_t at) const { return byte(at); }
    std::uint32_t u16(std::size_t at) const {
        const std::uint32_t a = byte(at), b = byte(at + 1);
        return order_ == ByteOrder::little ? a | b << 8 : a << 8 | b;
    }
    std::uint32_t u32(std::size_t at) const {
        const std::uint32_t a = u16(at), b = u16(at + 2);
        return order_ == ByteOrder::little ? a | b << 16 : a << 16 | b;
    }

  private:
    std::uint32_t byte(std::size_t at) const {
        if (at >= bytes_.size()) fail();
        return bytes_[at];
    }
    [[noreturn]] void fail() const;

    Bytes bytes_;
    ByteOrder order_;
    const char* format_;
};

/// True if `bytes` has the characters of `magic` at `at`.
bool has_magic(Bytes bytes, std::size_t at, const char* magic, std::size_t length);

/// a · b · c, or the largest number if that is too large. None may be negative.
std::int64_t saturating_product(std::int64_t a, std::int64_t b, std::int64_t c = 1);

/// The number of zero bytes at the end.
std::size_t zeros_at_end(Bytes bytes);

/// The most zero bytes at the end of coded data. More are a sign of an interrupted copy.
constexpr std::size_t max_zeros_at_end = 1024;

/// Checks coded data without a mark or checksum at their end. \throws ImageError "truncated FORMAT: ..." if
/// more than max_zeros_at_end zeros end them.
void check_not_zeroed(const char* format, Bytes coded);

/// \throws ImageError "truncated FORMAT: what"
[[noreturn]] void throw_truncated(const char* format, const std::string& what);

}  // namespace fovea::codec
