#include "lib/report/html/html.hpp"

#include "lib/core/control_characters.hpp"
#include "lib/core/text.hpp"

namespace fovea::report {
namespace {

constexpr std::size_t columns_of_wide_table = 8;

std::string details(const std::string& attributes, const std::string& summary, const std::string& content) {
    return "<details" + attributes + "><summary>" + escape_html(summary) + "</summary>\n" + content +
           "</details>\n";
}

}  // namespace

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
    std::string escaped;
    for (const char c : xml_text(text)) {
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
            case '\'':
                escaped += "&#39;";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

std::string breakable(std::string_view text) {
    std::string html;
    std::string piece;
    for (const char c : text) {
        piece += c;
        if (c == '_' || c == '-' || c == '.' || c == '/') {
            html += escape_html(piece) + "<wbr>";
            piece.clear();
        }
    }
    return html + escape_html(piece);
}

std::string element(std::string_view tag, std::string_view kind, std::string_view content) {
    std::string html = "<" + std::string(tag);
    if (!kind.empty()) html += " class=\"" + std::string(kind) + '"';
    html += '>';
    html += content;
    return html + "</" + std::string(tag) + ">";
}

std::string strong(std::string_view text) {
    return "<b>" + escape_html(text) + "</b>";
}

std::string small_line(std::string_view html) {
    return "<br>" + element("span", "small", html);
}

std::string table(const std::vector<HtmlColumn>& columns, const std::vector<HtmlRow>& rows, bool sortable,
                  const std::string& caption) {
    const std::string label = !caption.empty()  ? caption
                              : columns.empty() ? "Table"
                                                : "Table: " + columns[0].header;
    std::string kinds = sortable ? "sortable" : "";
    // On paper such a table needs smaller type.
    if (columns.size() >= columns_of_wide_table) kinds += kinds.empty() ? "many" : " many";
    std::string html = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                       escape_html(label) + "\"><table";
    if (!kinds.empty()) html += " class=\"" + kinds + '"';
    html += '>';
    if (!caption.empty()) html += "<caption>" + element("span", "", escape_html(caption)) + "</caption>";
    html += "<thead><tr>";
    for (const HtmlColumn& column : columns) {
        html += column.numeric ? "<th class=\"num\" scope=\"col\"" : "<th scope=\"col\"";
        if (!column.hint.empty()) html += " title=\"" + escape_html(column.hint) + '"';
        html += '>' + breakable(column.header) + "</th>";
    }
    html += "</tr></thead>\n<tbody>\n";
    for (const HtmlRow& row : rows) {
        html += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const bool numeric = i < columns.size() && columns[i].numeric;
            const std::string kind = std::string(numeric ? "num" : "") + (row[i].best ? " best" : "");
            html += kind.empty() ? "<td" : "<td class=\"" + kind + '"';
            if (!row[i].sort_key.empty()) html += " data-key=\"" + escape_html(row[i].sort_key) + '"';
            html += '>' + row[i].html + "</td>";
        }
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

std::string folded(const std::string& summary, const std::string& content, bool open) {
    return details(open ? " open" : "", summary, content);
}

std::string folded_on_screen(const std::string& summary, const std::string& content) {
    return details(" class=\"screen\"", summary, content);
}

}  // namespace fovea::report
