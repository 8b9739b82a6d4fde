#include "lib/files/text_encoding.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

using namespace std::string_view_literals;

/// How characters lie in bytes; of width 1, UTF-8 and all that is not looked into.
struct Encoding {
    std::size_t width = 1;
    bool is_big_endian = false;
    std::size_t mark = 0;  ///< bytes of the byte order mark
};

Encoding encoding_of(std::string_view bytes) {
    // The mark of UTF-16 is the beginning of that of UTF-32.
    if (bytes.starts_with("\xFF\xFE\0\0"sv)) return {4, false, 4};
    if (bytes.starts_with("\0\0\xFE\xFF"sv)) return {4, true, 4};
    if (bytes.starts_with("\xFF\xFE"sv)) return {2, false, 2};
    if (bytes.starts_with("\xFE\xFF"sv)) return {2, true, 2};
    if (bytes.starts_with("\xEF\xBB\xBF"sv)) return {1, false, 3};
    const auto begins = [&](std::size_t zeros_before, std::size_t zeros_behind) {
        const std::size_t width = zeros_before + 1 + zeros_behind;
        return bytes.size() >= width && "<{["sv.find(bytes[zeros_before]) != std::string_view::npos &&
               std::all_of(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(zeros_before),
                           [](char c) { return c == 0; }) &&
               std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(zeros_before + 1),
                           bytes.begin() + static_cast<std::ptrdiff_t>(width), [](char c) { return c == 0; });
    };
    if (begins(0, 3)) return {4, false, 0};
    if (begins(3, 0)) return {4, true, 0};
    if (begins(0, 1)) return {2, false, 0};
    if (begins(1, 0)) return {2, true, 0};
    return {};
}

void append_utf8(std::string& text, std::uint32_t code) {
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) return add(code);
    if (code < 0x800) {
        add(0xC0U | (code >> 6U));
    } else {
        if (code < 0x10000) {
            add(0xE0U | (code >> 12U));
        } else {
            add(0xF0U | (code >> 18U));
            add(0x80U | ((code >> 12U) & 0x3FU));
        }
        add(0x80U | ((code >> 6U) & 0x3FU));
    }
    add(0x80U | (code & 0x3FU));
}

bool is_surrogate(std::uint32_t code) {
    return code >= 0xD800 && code <= 0xDFFF;
}

/// Decodes up to what is no whole character; \return the bytes that were.
std::size_t decode(std::string_view bytes, const Encoding& encoding, std::string& text) {
    const auto unit = [&](std::size_t at) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < encoding.width; ++i) {
            const std::size_t place = encoding.is_big_endian ? at + i : at + encoding.width - 1 - i;
            value = value << 8U | static_cast<unsigned char>(bytes[place]);
        }
        return value;
    };
    std::size_t at = encoding.mark;
    while (at + encoding.width <= bytes.size()) {
        std::uint32_t code = unit(at);
        std::size_t length = encoding.width;
        if (encoding.width == 2 && code >= 0xD800 && code < 0xDC00 && at + 4 <= bytes.size()) {
            const std::uint32_t low = unit(at + 2);
            if (low < 0xDC00 || low > 0xDFFF) break;
            code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
            length = 4;
        }
        if (is_surrogate(code) || code > 0x10FFFF) break;
        append_utf8(text, code);
        at += length;
    }
    return at;
}

std::string with_known_line_ends(std::string text) {
    if (text.find('\r') != std::string::npos && text.find('\n') == std::string::npos)
        std::replace(text.begin(), text.end(), '\r', '\n');
    return text;
}

/// The text, and whether all of the bytes are in it.
std::pair<std::string, bool> decoded(std::string bytes) {
    const Encoding encoding = encoding_of(bytes);
    if (encoding.width == 1) {
        bytes.erase(0, encoding.mark);
        return {with_known_line_ends(std::move(bytes)), true};
    }
    std::string text;
    const bool is_whole = decode(bytes, encoding, text) == bytes.size();
    return {with_known_line_ends(std::move(text)), is_whole};
}

}  // namespace

std::optional<std::string> text_as_utf8(std::string bytes) {
    auto [text, is_whole] = decoded(std::move(bytes));
    return is_whole ? std::optional(std::move(text)) : std::nullopt;
}

std::string head_as_utf8(std::string bytes) {
    return decoded(std::move(bytes)).first;
}

std::string file_text_as_utf8(std::string bytes, const std::string& file) {
    std::optional<std::string> text = text_as_utf8(std::move(bytes));
    if (!text) {
        throw Error("'" + file +
                    "' is UTF-16 or UTF-32 text with half a character or one that does not exist; save it as "
                    "UTF-8.");
    }
    return *std::move(text);
}

std::string windows_1252_as_utf8(std::string_view bytes) {
    // The characters of 0x80 to 0x9F; those that the code page leaves open stay as in ISO-8859-1.
    constexpr std::array<std::uint16_t, 32> others{
        0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};
    std::string text;
    text.reserve(bytes.size());
    for (const char c : bytes) {
        const auto code = static_cast<unsigned char>(c);
        append_utf8(text, code >= 0x80 && code < 0xA0 ? others[code - 0x80U] : std::uint32_t{code});
    }
    return text;
}

}  // namespace fovea
