#include "lib/dataset/readers/mat_check.hpp"

#include <algorithm>
#include <cstdint>

#include <zlib.h>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

constexpr std::size_t header_bytes = 128;
constexpr std::size_t tag_bytes = 8;
constexpr int deepest = 32;
/// WIDER FACE's own take a hundredth of it.
constexpr std::size_t max_unpacked = std::size_t{1} << 30;

enum DataType : std::uint32_t {
    mat_int32 = 5,
    mat_uint32 = 6,
    mat_matrix = 14,
    mat_compressed = 15,
    mat_utf8 = 16
};
enum ArrayClass : std::uint32_t {
    cell_class = 1,
    struct_class = 2,
    char_class = 4,
    double_class = 6,
    last_number_class = 15
};

/// Bytes of one number of a type; 0 for what is none.
std::size_t number_bytes(std::uint32_t type) {
    switch (type) {
        case 1:
        case 2:
        case mat_utf8:
            return 1;
        case 3:
        case 4:
        case 17:
            return 2;
        case mat_int32:
        case mat_uint32:
        case 7:
        case 18:
            return 4;
        case 9:
        case 12:
        case 13:
            return 8;
        default:
            return 0;
    }
}

/// The element that a tag announces.
struct Element {
    std::uint32_t type = 0;
    std::string_view bytes;
};

class Checker {
  public:
    Checker(std::string_view file, const std::string& name)
        : file_(file), name_(name), is_big_endian_(file.substr(126, 2) == "MI") {}

    void check() {
        std::string_view rest = file_.substr(header_bytes);
        while (!rest.empty()) {
            at_ = file_.size() - rest.size();
            // Padded only where it is not packed.
            const bool is_packed = rest.size() >= tag_bytes && number(rest, 0) == mat_compressed;
            const Element element = take(rest, !is_packed);
            if (element.type == mat_matrix) {
                check_matrix(element.bytes, 0);
            } else if (element.type == mat_compressed) {
                const std::string unpacked = unpack(element.bytes);
                std::string_view inner = unpacked;
                const Element matrix = take(inner, true);
                if (matrix.type != mat_matrix || !inner.empty()) fail("what is packed is no variable");
                check_matrix(matrix.bytes, 0);
            } else {
                fail("what stands there is no variable");
            }
        }
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(name_ + ": the MATLAB file is damaged in the variable at byte " + std::to_string(at_) +
                    ": " + what + ".");
    }

    std::uint32_t number(std::string_view bytes, std::size_t at) const {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t place = at + (is_big_endian_ ? i : 3 - i);
            value = value << 8 | static_cast<std::uint8_t>(bytes[place]);
        }
        return value;
    }

    Element take(std::string_view& rest, bool is_padded) const {
        if (rest.size() < tag_bytes) fail("it ends early");
        const std::uint32_t first = number(rest, 0);
        Element element;
        if ((first >> 16) != 0) {
            const std::size_t length = first >> 16;
            if (length > 4) fail("a short element is longer than four bytes");
            element = {first & 0xFFFF, rest.substr(4, length)};
            rest.remove_prefix(tag_bytes);
            return element;
        }
        const std::size_t length = number(rest, 4);
        rest.remove_prefix(tag_bytes);
        if (length > rest.size()) fail("an element is longer than what holds it");
        element = {first, rest.substr(0, length)};
        const std::size_t padded = is_padded ? (length + 7) / 8 * 8 : length;
        rest.remove_prefix(std::min(padded, rest.size()));
        return element;
    }

    /// The product of the dimensions that an array says it has.
    std::size_t count_of(const Element& dimensions) const {
        constexpr std::size_t max_dimensions = 32;
        const std::size_t rank = dimensions.bytes.size() / 4;
        if (dimensions.type != mat_int32 || dimensions.bytes.size() % 4 != 0 || rank < 2 ||
            rank > max_dimensions)
            fail("an array has no dimensions");
        std::size_t count = 1;
        bool is_empty = false;
        for (std::size_t i = 0; i < rank; ++i) {
            const std::size_t length = number(dimensions.bytes, 4 * i);
            is_empty = is_empty || length == 0;
            // More than any file has bytes for, whatever follows.
            count = std::min(count * std::max<std::size_t>(length, 1), max_unpacked);
        }
        return is_empty ? 0 : count;
    }

    void check_matrix(std::string_view rest, int depth) const {
        if (rest.empty()) return;
        if (depth > deepest) fail("cells lie too deep in one another");
        const Element flags = take(rest, true);
        if (flags.type != mat_uint32 || flags.bytes.size() != 8)
            fail("an array does not say of what class it is");
        const std::uint32_t array_class = number(flags.bytes, 0) & 0xFF;
        const bool is_complex = (number(flags.bytes, 0) & 0x800) != 0;
        const std::size_t count = count_of(take(rest, true));
        take(rest, true);  // its name
        if (array_class == cell_class) {
            check_arrays(rest, count, depth);
        } else if (array_class == struct_class) {
            const Element length = take(rest, true);
            const Element names = take(rest, true);
            const std::size_t bytes_per_name = length.bytes.size() == 4 ? number(length.bytes, 0) : 0;
            if (length.type != mat_int32 || bytes_per_name == 0 || names.bytes.size() % bytes_per_name != 0)
                fail("a struct does not name its fields");
            const std::size_t fields = names.bytes.size() / bytes_per_name;
            // Each takes a tag at least.
            if (fields > 0 && count > rest.size() / tag_bytes / fields)
                fail("a struct has not as many elements as its dimensions say");
            check_arrays(rest, count * fields, depth);
        } else if (array_class == char_class ||
                   (array_class >= double_class && array_class <= last_number_class)) {
            for (int part = 0; part < (is_complex ? 2 : 1); ++part) check_numbers(take(rest, true), count);
        } else {
            fail("it is none of cells, structs, text and numbers in full arrays");
        }
    }

    void check_arrays(std::string_view& rest, std::size_t count, int depth) const {
        for (std::size_t i = 0; i < count; ++i) {
            const Element element = take(rest, true);
            if (element.type != mat_matrix) fail("a cell or field is no array");
            check_matrix(element.bytes, depth + 1);
        }
    }

    void check_numbers(const Element& element, std::size_t count) const {
        const std::size_t size = number_bytes(element.type);
        const std::size_t there = size == 0 ? 0 : element.bytes.size() / size;
        // A character of UTF-8 takes one byte or more.
        const bool fits = element.type == mat_utf8 ? there >= count : there == count;
        if (size == 0 || !fits) fail("an array has not as many elements as its dimensions say");
    }

    std::string unpack(std::string_view packed) const {
        std::string unpacked;
        z_stream stream{};
        if (::inflateInit(&stream) != Z_OK) fail("it cannot be unpacked");
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
        stream.avail_in = static_cast<uInt>(packed.size());
        int outcome = Z_OK;
        while (outcome == Z_OK && unpacked.size() <= max_unpacked) {
            constexpr std::size_t block = std::size_t{1} << 16;
            const std::size_t before = unpacked.size();
            unpacked.resize(before + block);
            stream.next_out = reinterpret_cast<Bytef*>(unpacked.data() + before);
            stream.avail_out = block;
            outcome = ::inflate(&stream, Z_NO_FLUSH);
            unpacked.resize(before + block - stream.avail_out);
        }
        ::inflateEnd(&stream);
        if (outcome != Z_STREAM_END) fail("it cannot be unpacked");
        return unpacked;
    }

    std::string_view file_;
    const std::string& name_;
    bool is_big_endian_;
    std::size_t at_ = 0;  ///< of the variable that is looked at
};

}  // namespace

void check_mat_bytes(std::string_view bytes, const std::string& name) {
    const std::string_view mark = bytes.substr(std::min<std::size_t>(bytes.size(), 124), 4);
    if (mark == std::string_view("\0\2IM", 4) || mark == std::string_view("\2\0MI", 4)) return;  // level 7.3
    // Level 4 has no header, and no cells.
    if (mark != std::string_view("\0\1IM", 4) && mark != std::string_view("\1\0MI", 4))
        throw Error("'" + name + "' is no MATLAB file (.mat) of level 5 or later.");
    Checker(bytes, name).check();
}

}  // namespace fovea
