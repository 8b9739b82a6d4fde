#include "lib/report/model/xml_text.hpp"

#include "lib/core/special_characters.hpp"
#include "lib/core/text.hpp"

namespace fovea::report {

std::string xml_text(std::string_view text) {
    std::string allowed;
    while (!text.empty()) {
        const Utf8Piece piece = utf8_piece(text);
        const std::string_view bytes = text.substr(0, piece.length);
        const bool is_break = bytes == "\t" || bytes == "\n" || bytes == "\r";
        const bool is_ascii_control = bytes.size() == 1 && is_control(bytes) && !is_break;
        if (!piece.valid || is_ascii_control || bytes == "\uFFFE" || bytes == "\uFFFF")
            allowed += "\uFFFD";
        else if (is_control(bytes) && !is_break)
            allowed += excerpt(bytes);  // XML allows it, and a page would obey it
        else
            allowed += bytes;
        text.remove_prefix(piece.length);
    }
    return allowed;
}

std::string escape_html(std::string_view text) {
    return escape_markup(xml_text(text), "'");
}

}  // namespace fovea::report
