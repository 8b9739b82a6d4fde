#include "lib/report/write/text.hpp"

#include <algorithm>

#include "lib/core/text.hpp"

namespace fovea::report {
namespace {

constexpr std::size_t gap = 2;

std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Names may hold what a terminal obeys.
std::string shown(const std::string& text) {
    return excerpt(text, std::string::npos);
}

/// \param mark behind the text, so that the best of a column stands out
std::vector<std::string> lines_of(const Cell& cell, const std::string& mark) {
    std::vector<std::string> lines{shown(cell.text) + mark};
    if (!cell.interval.empty()) lines.push_back(shown(cell.interval));
    for (const std::string& note : cell.notes) lines.push_back(shown(note));
    return lines;
}

std::string padded(const std::string& text, std::size_t width, bool is_flush_right) {
    const std::string blanks(width - std::min(width, characters(text)), ' ');
    return is_flush_right ? blanks + text : text + blanks;
}

}  // namespace

std::string text_table(const Table& table, std::size_t max_width) {
    const std::vector<std::vector<bool>> best = best_cells(table);
    const bool has_best = std::any_of(best.begin(), best.end(), [](const std::vector<bool>& row) {
        return std::find(row.begin(), row.end(), true) != row.end();
    });
    // Rows of cells of lines; the first row is the heading.
    std::vector<std::vector<std::vector<std::string>>> rows(1);
    const auto mark_of = [&](std::size_t column, bool is_best) {
        return !has_best || !table.columns[column].is_numeric ? "" : is_best ? "*" : " ";
    };
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        rows[0].push_back({shown(table.columns[c].title) + mark_of(c, false)});
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        rows.emplace_back();
        for (std::size_t c = 0; c < table.rows[r].size(); ++c)
            rows.back().push_back(lines_of(table.rows[r][c], mark_of(c, best[r][c])));
    }
    std::vector<std::size_t> widths(table.columns.size(), 0);
    for (const auto& row : rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            for (const std::string& line : row[c]) widths[c] = std::max(widths[c], characters(line));
        }
    }
    std::size_t fitting = 0;
    for (std::size_t width = 0; fitting < widths.size(); ++fitting) {
        width += widths[fitting] + (fitting > 0 ? gap : 0);
        if (max_width > 0 && fitting > 1 && width > max_width) break;
    }
    std::string text = table.title.empty() ? "" : shown(table.title) + "\n";
    for (const auto& row : rows) {
        std::size_t height = 0;
        for (const auto& cell : row) height = std::max(height, cell.size());
        for (std::size_t line = 0; line < height; ++line) {
            std::string written;
            for (std::size_t c = 0; c < std::min(fitting, row.size()); ++c) {
                const std::string& part = line < row[c].size() ? row[c][line] : std::string();
                written += (c > 0 ? std::string(gap, ' ') : "") +
                           padded(part, widths[c], table.columns[c].is_numeric);
            }
            const std::size_t end = written.find_last_not_of(' ');
            text += written.substr(0, end == std::string::npos ? 0 : end + 1) + "\n";
        }
    }
    if (fitting < widths.size()) {
        std::string names;
        for (std::size_t c = fitting; c < widths.size(); ++c)
            names += (names.empty() ? "" : ", ") + shown(table.columns[c].title);
        text += "Not shown for lack of room: " + names + ".\n";
    }
    if (!table.note.empty()) text += shown(table.note) + "\n";
    return text;
}

}  // namespace fovea::report
