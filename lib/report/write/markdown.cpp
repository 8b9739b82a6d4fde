#include "lib/report/write/markdown.hpp"

#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/core/version.hpp"
#include "lib/report/model/xml_text.hpp"

namespace fovea::report {
namespace {

/// Rows beyond these are in report.json alone: a summary is read, not searched.
constexpr std::size_t max_rows = 100;
constexpr std::size_t deepest_heading = 6;

// Whether a text that begins a line would begin a list with its i-th character: "- a", "12. a".
bool begins_list(std::string_view text, std::size_t i) {
    if (i + 1 < text.size() && text[i + 1] != ' ') return false;
    if (i == 0) return text.size() > 1 && (text[0] == '-' || text[0] == '+');
    return (text[i] == '.' || text[i] == ')') && text.find_first_not_of("0123456789") == i;
}

std::string cell_text(const Cell& cell, bool is_best) {
    std::string text = markdown_text(cell.text);
    if (is_best) text = "**" + text + "**";
    if (!cell.interval.empty()) text += " (" + markdown_text(cell.interval) + ")";
    for (const std::string& note : cell.notes) text += "; " + markdown_text(note);
    return text;
}

std::string block_text(const Table& table) {
    std::string text = table.title.empty() ? "" : "**" + markdown_text(table.title) + "**\n\n";
    text += "|";
    for (const Column& column : table.columns) text += " " + markdown_text(column.title) + " |";
    text += "\n|";
    for (const Column& column : table.columns) text += column.is_numeric ? "--:|" : "---|";
    text += "\n";
    const std::vector<std::vector<bool>> best = best_cells(table);
    for (std::size_t r = 0; r < std::min(table.rows.size(), max_rows); ++r) {
        text += "|";
        for (std::size_t c = 0; c < table.rows[r].size(); ++c)
            text += " " + cell_text(table.rows[r][c], best[r][c]) + " |";
        text += "\n";
    }
    if (table.rows.size() > max_rows)
        text += "\n" + number_of(static_cast<long long>(table.rows.size() - max_rows), "more row") +
                " in report.html.\n";
    if (!table.note.empty()) text += "\n" + markdown_text(table.note) + "\n";
    return text;
}

std::string block_text(const Tiles& tiles) {
    std::string text = "| Number | Value | What it is |\n|---|--:|---|\n";
    for (const Tile& tile : tiles.tiles) {
        text += "| " + markdown_text(tile.label) + " | " + markdown_text(tile.value) +
                (tile.interval.empty() ? "" : " (" + markdown_text(tile.interval) + ")") + " | " +
                markdown_text(tile.detail) + " |\n";
    }
    return text;
}

std::string block_text(const Plot& plot) {
    return "![" + markdown_text(plot.title) + "](" + plot.stem + ".svg)\n\n" + markdown_text(plot.caption) +
           "\n";
}

std::string block_text(const Paragraph& paragraph) {
    return markdown_text(paragraph.text) + "\n";
}

std::string block_text(const List& list) {
    std::string text;
    for (const std::string& item : list.items) text += "- " + markdown_text(item) + "\n";
    return text;
}

std::string block_text(const Definitions& definitions) {
    std::string text;
    for (const Definition& item : definitions.items)
        text += "- " + markdown_text(item.term) + ": " + markdown_text(item.text) + "\n";
    return text;
}

std::string block_text(const Listing& listing) {
    // Longer than any fence within.
    std::string fence = "```";
    while (listing.text.find(fence) != std::string::npos) fence += "`";
    return fence + "\n" + listing.text + "\n" + fence + "\n";
}

std::string block_text(const Gallery&) {
    return {};
}

std::string block_text(const TimelineRows&) {
    return {};
}

std::string sections_text(const std::vector<Section>& sections, std::size_t level) {
    std::string text;
    for (const Section& section : sections) {
        const bool is_closed = section.fold == Fold::closed || section.fold == Fold::screen;
        if (section.is_empty() || section.is_of_page || is_closed) continue;
        std::string body;
        for (const Block& block : section.blocks) {
            const std::string part = std::visit([](const auto& kind) { return block_text(kind); }, block);
            if (!part.empty()) body += "\n" + part;
        }
        body += sections_text(section.sections, level + 1);
        if (body.empty()) continue;
        if (!section.title.empty())
            text += "\n" + std::string(std::min(level, deepest_heading), '#') + " " +
                    markdown_text(section.title) + "\n";
        text += body;
    }
    return text;
}

}  // namespace

std::string markdown_text(std::string_view text) {
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

std::string markdown_report(const Report& report) {
    std::string text = "# " + markdown_text(report.title) + "\n";
    for (const Text& paragraph : report.lead) {
        text += "\n";
        for (const Run& run : paragraph)
            text += run.look == Run::Look::strong ? "**" + markdown_text(run.text) + "**"
                                                  : markdown_text(run.text);
        text += "\n";
    }
    if (!report.protocol.empty()) text += "\n" + markdown_text(report.protocol) + "\n";
    text += sections_text(report.headline, 2) + sections_text(report.sections, 2);
    return text + "\nMade by fovea " + fovea_version() + ".\n";
}

}  // namespace fovea::report
