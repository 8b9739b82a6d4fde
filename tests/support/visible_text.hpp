#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace fovea::test {

/// The text that a reader of a page sees: without tags, style sheets and scripts, entities as their
/// characters, a line for each line, cell, paragraph and heading.
inline std::string visible_text(std::string_view html) {
    constexpr std::array<std::pair<std::string_view, char>, 5> entities{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}}};
    constexpr std::string_view inside_lines = " a b i em code span wbr tspan ";
    const std::size_t body = html.find("<body>");
    std::string text;
    for (std::size_t at = body == std::string_view::npos ? 0 : body; at < html.size();) {
        if (html[at] == '<') {
            const std::size_t begin = at + (html.substr(at).starts_with("</") ? 2 : 1);
            const std::string name(html.substr(begin, html.find_first_of(" />\n", begin) - begin));
            if (inside_lines.find(" " + name + " ") == std::string_view::npos) text += '\n';
            const bool is_code = name == "style" || name == "script";
            const std::size_t last = is_code ? html.find("</" + name, at + 1) : at;
            const std::size_t end = html.find('>', last);
            if (end == std::string_view::npos) break;
            at = end + 1;
            continue;
        }
        std::size_t length = 1;
        char character = html[at];
        for (const auto& [entity, meaning] : entities) {
            if (!html.substr(at).starts_with(entity)) continue;
            length = entity.size();
            character = meaning;
        }
        text += character;
        at += length;
    }
    return text;
}

}  // namespace fovea::test
