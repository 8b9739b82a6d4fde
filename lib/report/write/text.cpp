#include "lib/report/write/text.hpp"

#include <algorithm>

#include "lib/core/text.hpp"

namespace fovea::report {
namespace {

constexpr std::size_t gap = 2;

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
    const std::string blanks(width - std::min(width, character_count(text)), ' ');
    return is_flush_right ? blanks + text : text + blanks;
}

/// A table as lines of text in columns.
struct Layout {
    /// Rows of cells of lines; the first row is the heading.
    std::vector<std::vector<std::vector<std::string>>> rows;
    std::vector<std::size_t> widths;

    /// The number of columns that fit, at least the first two.
    std::size_t fitting(std::size_t max_width) const {
        std::size_t width = 0;
        for (std::size_t c = 0; c < widths.size(); ++c) {
            width += widths[c] + (c > 0 ? gap : 0);
            if (max_width > 0 && c > 1 && width > max_width) return c;
        }
        return widths.size();
    }
};

Layout layout_of(const Table& table) {
    const std::vector<std::vector<bool>> best = best_cells(table);
    const bool has_best = std::any_of(best.begin(), best.end(), [](const std::vector<bool>& row) {
        return std::find(row.begin(), row.end(), true) != row.end();
    });
    const auto mark_of = [&](std::size_t column, bool is_best) {
        return !has_best || !table.columns[column].is_numeric ? "" : is_best ? "*" : " ";
    };
    Layout layout{{{}}, std::vector<std::size_t>(table.columns.size(), 0)};
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        layout.rows[0].push_back({shown(table.columns[c].title) + mark_of(c, false)});
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        layout.rows.emplace_back();
        for (std::size_t c = 0; c < table.rows[r].size(); ++c)
            layout.rows.back().push_back(lines_of(table.rows[r][c], mark_of(c, best[r][c])));
    }
    for (const auto& row : layout.rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            for (const std::string& line : row[c])
                layout.widths[c] = std::max(layout.widths[c], character_count(line));
        }
    }
    return layout;
}

/// The same with rows and columns exchanged.
Table turned(const Table& table) {
    Table other{.title = table.title, .columns = {words(table.columns[0].title)}, .note = table.note};
    other.rivals = table.rivals == Rivals::rows      ? Rivals::columns
                   : table.rivals == Rivals::columns ? Rivals::rows
                                                     : Rivals::none;
    for (const std::vector<Cell>& row : table.rows) other.columns.push_back({row[0].text});
    for (std::size_t c = 1; c < table.columns.size(); ++c) {
        other.rows.push_back({table.columns[c].title});
        for (const std::vector<Cell>& row : table.rows)
            other.rows.back().push_back(c < row.size() ? row[c] : Cell());
    }
    return other;
}

}  // namespace

std::string text_table(const Table& table, std::size_t max_width) {
    const Layout layout = layout_of(table);
    const std::size_t fitting = layout.fitting(max_width);
    if (fitting < layout.widths.size() && !table.rows.empty()) {
        const Table other = turned(table);
        const Layout turned_layout = layout_of(other);
        if (turned_layout.fitting(max_width) == turned_layout.widths.size())
            return text_table(other, max_width);
    }
    std::string text = table.title.empty() ? "" : shown(table.title) + "\n";
    for (const auto& row : layout.rows) {
        std::size_t height = 0;
        for (const auto& cell : row) height = std::max(height, cell.size());
        for (std::size_t line = 0; line < height; ++line) {
            std::string written;
            for (std::size_t c = 0; c < std::min(fitting, row.size()); ++c) {
                const std::string& part = line < row[c].size() ? row[c][line] : std::string();
                written += (c > 0 ? std::string(gap, ' ') : "") +
                           padded(part, layout.widths[c], table.columns[c].is_numeric);
            }
            const std::size_t end = written.find_last_not_of(' ');
            text += written.substr(0, end == std::string::npos ? 0 : end + 1) + "\n";
        }
    }
    const auto add_note = [&](const std::string& note) {
        for (const std::string& line : wrapped_lines(note, max_width)) text += line + "\n";
    };
    if (fitting < table.columns.size()) {
        std::string names;
        for (std::size_t c = fitting; c < table.columns.size(); ++c)
            names += (names.empty() ? "" : ", ") + shown(table.columns[c].title);
        add_note("Not shown for lack of room: " + names + ".");
    }
    if (!table.note.empty()) add_note(shown(table.note));
    return text;
}

}  // namespace fovea::report
