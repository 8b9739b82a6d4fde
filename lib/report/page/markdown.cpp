#include "lib/report/page/markdown.hpp"

#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/core/version.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"

namespace fovea::report {
namespace {

std::string body_of(const MarkdownPage& page) {
    std::string text =
        escape_markdown(page.lead) + "\n" + escape_markdown(page.protocol) + "\n\n" + page.tables;
    if (!page.note.empty()) text += "\n" + escape_markdown(page.note) + "\n";
    for (const std::string& warning : page.warnings) text += "\n> " + escape_markdown(warning) + "\n";
    for (const DrawnPlot& plot : page.plots) {
        text += "\n![" + escape_markdown(plot.title) + "](" + plot.stem + ".svg)\n\n" +
                escape_markdown(plot.caption) + "\n";
    }
    return text;
}

// Whether a text that begins a line would begin a list with its i-th character: "- a", "12. a".
bool begins_list(std::string_view text, std::size_t i) {
    if (i + 1 < text.size() && text[i + 1] != ' ') return false;
    if (i == 0) return text.size() > 1 && (text[0] == '-' || text[0] == '+');
    return (text[i] == '.' || text[i] == ')') && text.find_first_not_of("0123456789") == i;
}

std::string made_by() {
    return "\nMade by fovea " + fovea_version() + ".\n";
}

}  // namespace

std::string escape_markdown(std::string_view text) {
    const std::string allowed = xml_text(text);
    std::string escaped;
    for (std::size_t i = 0; i < allowed.size(); ++i) {
        const char c = allowed[i];
        const bool is_entity = c == '&' && allowed.find(';', i) != std::string::npos;
        const bool is_markup = std::string_view("\\`*_{}[]<>#|~").find(c) != std::string_view::npos;
        if (is_markup || is_entity || begins_list(allowed, i)) escaped += '\\';
        escaped += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
    }
    return escaped;
}

std::string markdown_table(const MarkdownRows& rows) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        text += "|";
        for (const std::string& cell : rows[i]) text += " " + cell + " |";
        text += "\n";
        if (i > 0) continue;
        text += "|";
        for (std::size_t k = 0; k < rows[0].size(); ++k) text += k == 0 ? "---|" : "--:|";
        text += "\n";
    }
    return text;
}

MarkdownRows markdown_heading(const std::string& first, const std::vector<std::string>& names) {
    std::vector<std::string> row{first};
    for (const std::string& name : names) row.push_back(escape_markdown(name));
    return {row};
}

void add_numbers(MarkdownRows& rows, const std::vector<const Numbers*>& lists, const Decimals& decimals) {
    for (std::size_t i = 0; i < lists[0]->size(); ++i) {
        std::vector<std::string> row{escape_markdown((*lists[0])[i].quantity.name)};
        for (const Numbers* list : lists) {
            row.push_back(number_with_interval(list->at(i), decimals));
        }
        rows.push_back(std::move(row));
    }
}

std::string interval_note(int resamples, const std::string& units) {
    if (resamples <= 0) return {};
    return "In brackets: 95 % intervals (bootstrap over " + units + ", " + grouped(resamples) +
           " resamples).";
}

std::string markdown_page(const MarkdownPage& page) {
    return "# " + escape_markdown(page.title) + "\n\n" + body_of(page) + made_by();
}

std::string markdown_page(const std::string& title, const std::vector<MarkdownPage>& parts) {
    std::string text = "# " + escape_markdown(title) + "\n";
    for (const MarkdownPage& part : parts) {
        text += "\n## " + escape_markdown(part.title) + "\n\n" + body_of(part);
    }
    return text + made_by();
}

}  // namespace fovea::report
