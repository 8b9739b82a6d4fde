#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fovea::test {

struct Encoded {
    std::string name;
    std::string bytes;
};

/// The characters of valid UTF-8.
inline std::vector<std::uint32_t> characters_of(const std::string& text) {
    std::vector<std::uint32_t> characters;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        std::uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
        for (std::size_t k = 1; k < length; ++k)
            code = code << 6U | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
        characters.push_back(code);
        i += length;
    }
    return characters;
}

/// UTF-16 or UTF-32. \param width 2 or 4
inline std::string encoded_as(const std::string& text, std::size_t width, bool is_big_endian, bool has_mark) {
    std::string bytes;
    const auto add = [&](std::uint32_t unit) {
        for (std::size_t i = 0; i < width; ++i) {
            const std::size_t shift = 8 * (is_big_endian ? width - 1 - i : i);
            bytes += static_cast<char>(unit >> shift & 0xFFU);
        }
    };
    if (has_mark) add(0xFEFF);
    for (const std::uint32_t code : characters_of(text)) {
        if (width == 4 || code < 0x10000) {
            add(code);
        } else {
            add(0xD800 + (code - 0x10000) / 0x400);
            add(0xDC00 + (code - 0x10000) % 0x400);
        }
    }
    return bytes;
}

/// A text in all encodings that readers know. \param text begins with '<', '{' or '[', which tells them even
/// without a mark; else \param marked_only.
inline std::vector<Encoded> encodings_of(const std::string& text, bool marked_only = false) {
    std::vector<Encoded> encodings{{"UTF-8", text}, {"UTF-8 with a mark", "\xEF\xBB\xBF" + text}};
    for (const std::size_t width : {std::size_t{2}, std::size_t{4}}) {
        for (const bool is_big_endian : {false, true}) {
            for (const bool has_mark : {true, false}) {
                if (!has_mark && marked_only) continue;
                encodings.push_back({"UTF-" + std::to_string(8 * width) + (is_big_endian ? "BE" : "LE") +
                                         (has_mark ? " with a mark" : ""),
                                     encoded_as(text, width, is_big_endian, has_mark)});
            }
        }
    }
    return encodings;
}

}  // namespace fovea::test
