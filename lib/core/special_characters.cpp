#include "lib/core/special_characters.hpp"

namespace fovea {

bool is_control(std::string_view character) {
    switch (character.size()) {
        case 1:
            return static_cast<unsigned char>(character[0]) < 0x20 || character[0] == 0x7F;
        case 2:
            return character < "\u00A0" || character == "\u061C";
        case 3:
            // Bytes are compared as unsigned characters, and UTF-8 has the order of the code points.
            return character == "\u200E" || character == "\u200F" ||
                   (character >= "\u2028" && character <= "\u202E") ||
                   (character >= "\u2066" && character <= "\u2069");
        default:
            return false;
    }
}

std::string escape_markup(std::string_view text, std::string_view others) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                if (others.find(c) == std::string_view::npos)
                    escaped += c;
                else
                    escaped += "&#" + std::to_string(static_cast<int>(c)) + ";";
        }
    }
    return escaped;
}

}  // namespace fovea
