#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <string_view>

namespace fovea {

/// Fails with one sentence for all faults of a kind of file. \throws Error: the file's name, the offset and
/// what is wrong there, which begins with a verb or a noun: "is the number of trees, -1, below 0".
using FailToRead = void (*)(std::string_view name, std::size_t offset, const std::string& what);

/// Reads the numbers of dlib's serialization (dlib 19, serialize.h) from memory.
///
/// An integer begins with a byte. Its low four bits hold the number of bytes of the magnitude, 1 to 8,
/// which follow, lowest first; its bit 7 says that the number is negative. A floating-point number is an
/// integer mantissa and an integer exponent to the base 2; exponents 32000 to 32002 mean +infinity,
/// -infinity and NaN.
class PackedReader {
  public:
    /// \param fail_to_read must throw; what it throws is what all functions throw.
    PackedReader(std::string_view bytes, std::string_view name, FailToRead fail_to_read)
        : bytes_(bytes), name_(name), fail_to_read_(fail_to_read) {}

    std::size_t offset() const { return at_; }
    std::size_t left() const { return bytes_.size() - at_; }

    [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
        fail_to_read_(name_, offset, what);
        std::terminate();  // it did not throw
    }

    /// The next bytes as they are.
    std::string_view bytes(std::size_t count, const char* what) {
        if (left() < count) fail_truncated(what);
        at_ += count;
        return bytes_.substr(at_ - count, count);
    }

    /// Reads an integer. \param what is read, for messages: "the number of trees".
    std::int64_t integer(const char* what) {
        const std::size_t start = at_;
        if (left() < 2) fail_truncated(what);
        const auto control = static_cast<std::uint8_t>(bytes_[at_]);
        const std::size_t size = control & 0x0F;
        if (size == 0 || size > 8 || (control & 0x70) != 0) {
            fail(start, std::string("a number begins that cannot be one, for ") + what);
        }
        if (left() < 1 + size) fail_truncated(what);
        std::uint64_t magnitude = 0;
        for (std::size_t i = size; i > 0; --i) {
            magnitude = magnitude << 8 | static_cast<std::uint8_t>(bytes_[at_ + i]);
        }
        if (magnitude > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            fail(start, std::string("is a number beyond 63 bits, for ") + what);
        }
        at_ += 1 + size;
        return (control & 0x80) != 0 ? -static_cast<std::int64_t>(magnitude)
                                     : static_cast<std::int64_t>(magnitude);
    }

    float real(const char* what) {
        const std::size_t start = at_;
        const std::int64_t mantissa = integer(what);
        const std::int64_t exponent = integer(what);
        if (exponent == 32000) return std::numeric_limits<float>::infinity();
        if (exponent == 32001) return -std::numeric_limits<float>::infinity();
        if (exponent == 32002) return std::numeric_limits<float>::quiet_NaN();
        if (exponent < -32768 || exponent > 32767) {
            fail(start, std::string("is an exponent beyond 16 bits, for ") + what);
        }
        // The mantissa is rounded to a float first, as in dlib. Scaling by a power of two within a double
        // is exact.
        const auto rounded = static_cast<double>(static_cast<float>(mantissa));
        if (exponent >= -min_exponent && exponent <= min_exponent) {
            return static_cast<float>(rounded * powers()[static_cast<std::size_t>(exponent + min_exponent)]);
        }
        return static_cast<float>(std::ldexp(rounded, static_cast<int>(exponent)));
    }

    /// The length of a list whose entries take at least `min_bytes` each: never more than can follow.
    std::size_t count(const char* what, std::size_t min_bytes) {
        const std::size_t start = at_;
        const std::int64_t value = integer(what);
        if (value < 0) fail(start, std::string("is ") + what + ", " + std::to_string(value) + ", below 0");
        if (static_cast<std::uint64_t>(value) > left() / min_bytes) {
            fail(start, std::string("is ") + what + ", " + std::to_string(value) +
                            ", more than the rest of the file (" + std::to_string(left()) +
                            " bytes) can hold");
        }
        return static_cast<std::size_t>(value);
    }

  private:
    static constexpr std::int64_t min_exponent = 200;

    static const std::array<double, 2 * min_exponent + 1>& powers() {
        static const auto table = [] {
            std::array<double, 2 * min_exponent + 1> values{};
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] = std::ldexp(1.0, static_cast<int>(i) - static_cast<int>(min_exponent));
            }
            return values;
        }();
        return table;
    }

    [[noreturn]] void fail_truncated(const char* what) const {
        fail(bytes_.size(), std::string("the file ends within ") + what);
    }

    std::string_view bytes_;
    std::string_view name_;
    FailToRead fail_to_read_;
    std::size_t at_ = 0;
};

}  // namespace fovea
