#include "lib/report/write/latex.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/version.hpp"

namespace fovea::report {
namespace {

constexpr std::string_view percent_sign = "\u00A0%";

bool is_percent(const std::string& text) {
    return text.ends_with(percent_sign);
}

std::string without_percent(const std::string& text) {
    return is_percent(text) ? text.substr(0, text.size() - percent_sign.size()) : text;
}

/// Whether every number of a column is a share: its heading then says so once.
bool is_percent_column(const Table& table, std::size_t column) {
    bool any = false;
    for (const std::vector<Cell>& row : table.rows) {
        if (column >= row.size() || !row[column].value) continue;
        if (!is_percent(row[column].text)) return false;
        any = true;
    }
    return any;
}

std::size_t decimals_of(const std::string& number) {
    const std::size_t point = number.find('.');
    return point == std::string::npos ? 0 : number.size() - point - 1;
}

std::string number_latex(const Cell& cell, bool is_best, bool is_bare, LatexIntervals intervals) {
    std::string text = latex_text(is_bare ? without_percent(cell.text) : cell.text);
    if (is_best) text = "\\textbf{" + text + "}";
    if (!cell.ci95) return text;
    if (intervals == LatexIntervals::plus_minus) {
        const double scale = is_percent(cell.text) ? 100 : 1;
        const double half = scale * ((*cell.ci95)[1] - (*cell.ci95)[0]) / 2;
        return text + " $\\pm$ " + fixed(half, static_cast<int>(decimals_of(without_percent(cell.text))));
    }
    std::string interval = without_percent(cell.interval);
    const std::string dash = "–";
    const std::size_t at = interval.find(dash, 1);
    if (at != std::string::npos) interval.replace(at, dash.size(), ", ");
    return text + " [" + latex_text(interval) + "]";
}

std::string row_latex(const std::vector<std::string>& cells) {
    std::string row;
    for (const std::string& cell : cells) row += (row.empty() ? "" : " & ") + cell;
    return row + " \\\\\n";
}

void add_tables(const std::vector<Section>& sections, LatexIntervals intervals, std::string& text,
                std::size_t& count) {
    for (const Section& section : sections) {
        if (section.is_of_page || section.fold == Fold::closed || section.fold == Fold::screen) continue;
        for (const Block& block : section.blocks) {
            const auto* table = std::get_if<Table>(&block);
            if (table == nullptr || table->rows.empty()) continue;
            text +=
                "\n" + latex_table(*table, "tab:" + section.id + "-" + std::to_string(++count), intervals);
        }
        add_tables(section.sections, intervals, text, count);
    }
}

}  // namespace

std::optional<LatexIntervals> latex_intervals_of(const std::string& name) {
    if (name.empty()) return std::nullopt;
    if (name == "brackets") return LatexIntervals::brackets;
    if (name == "plus-minus") return LatexIntervals::plus_minus;
    throw UsageError("intervals of LaTeX are 'brackets' or 'plus-minus', not '" + name + "'");
}

std::string latex_text(std::string_view text) {
    std::string escaped;
    for (const char c : excerpt(text, std::string_view::npos)) {
        switch (c) {
            case '\\':
                escaped += "\\textbackslash{}";
                break;
            case '~':
                escaped += "\\textasciitilde{}";
                break;
            case '^':
                escaped += "\\textasciicircum{}";
                break;
            case '&':
            case '%':
            case '$':
            case '#':
            case '_':
            case '{':
            case '}':
                escaped += std::string("\\") + c;
                break;
            case '<':
                escaped += "\\textless{}";
                break;
            case '>':
                escaped += "\\textgreater{}";
                break;
            case '|':
                escaped += "\\textbar{}";
                break;
            default:
                escaped += c;
        }
    }
    // Symbols that fonts of text lack.
    const std::pair<std::string_view, std::string_view> symbols[] = {
        {"\u00A0", "~"},         {"–", "--"},        {"−", "$-$"},
        {"≥", "$\\geq$"},        {"√", "$\\surd$"},  {"·", "$\\cdot$"},
        {"½", "$\\frac{1}{2}$"}, {"×", "$\\times$"}, {"…", "\\dots{}"}};
    for (const auto& [symbol, latex] : symbols) {
        for (std::size_t at = escaped.find(symbol); at != std::string::npos;
             at = escaped.find(symbol, at + latex.size()))
            escaped.replace(at, symbol.size(), latex);
    }
    return escaped;
}

std::string latex_table(const Table& table, const std::string& label, LatexIntervals intervals) {
    std::string columns;
    std::vector<std::string> heads;
    std::vector<bool> bare;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        columns += table.columns[c].is_numeric ? 'r' : 'l';
        bare.push_back(is_percent_column(table, c));
        heads.push_back(latex_text(table.columns[c].title) + (bare.back() ? " (\\%)" : ""));
    }
    std::string text = "\\begin{table}\n\\centering\n\\begin{tabular}{" + columns + "}\n\\toprule\n" +
                       row_latex(heads) + "\\midrule\n";
    const std::vector<std::vector<bool>> best = best_cells(table);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        std::vector<std::string> cells;
        for (std::size_t c = 0; c < table.rows[r].size(); ++c)
            cells.push_back(number_latex(table.rows[r][c], best[r][c], bare[c], intervals));
        text += row_latex(cells);
    }
    return text + "\\bottomrule\n\\end{tabular}\n\\caption{" + latex_text(table.title) + "}\n\\label{" +
           label + "}\n\\end{table}\n";
}

std::string latex_report(const Report& report, LatexIntervals intervals) {
    std::string text = "% " + latex_text(report.title) + "\n% Made by fovea " + fovea_version() +
                       ". The preamble needs \\usepackage{booktabs}; wide tables stand well in "
                       "\\resizebox{\\linewidth}{!}{...}.\n";
    std::size_t count = 0;
    add_tables(report.headline, intervals, text, count);
    add_tables(report.sections, intervals, text, count);
    return text;
}

}  // namespace fovea::report
