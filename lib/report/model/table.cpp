#include "lib/report/model/table.hpp"

#include <cmath>
#include <limits>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"

namespace fovea::report {
namespace {

bool competes(const Cell& cell) {
    return cell.value && cell.better != Better::neither && std::isfinite(*cell.value);
}

bool is_better(const Cell& one, const Cell& other) {
    return one.better == Better::higher ? *one.value > *other.value : *one.value < *other.value;
}

// Marks the best of some cells; none where all read alike.
template <class CellAt, class MarkAt>
void mark_best(std::size_t count, CellAt cell_at, MarkAt mark) {
    const Cell* best = nullptr;
    const Cell* worst = nullptr;
    for (std::size_t i = 0; i < count; ++i) {
        const Cell* cell = cell_at(i);
        if (cell == nullptr || !competes(*cell)) continue;
        if (best == nullptr || is_better(*cell, *best)) best = cell;
        if (worst == nullptr || is_better(*worst, *cell)) worst = cell;
    }
    if (best == nullptr || best->text == worst->text) return;
    for (std::size_t i = 0; i < count; ++i) {
        const Cell* cell = cell_at(i);
        if (cell != nullptr && competes(*cell) && cell->text == best->text) mark(i);
    }
}

}  // namespace

Cell number_cell(const Number& number, const Decimals& decimals) {
    Cell cell(value_text(number, decimals));
    cell.value = number.value;
    cell.interval = interval_text(number, decimals);
    cell.ci95 = number.ci95;
    cell.better = number.quantity.better;
    return cell;
}

Cell count_cell(double count) {
    Cell cell(grouped(static_cast<long long>(count)));
    cell.value = count;
    return cell;
}

Cell share_cell(double share, int decimals) {
    Cell cell(percent(share, decimals));
    cell.value = share;
    return cell;
}

Cell share_cell(const std::optional<double>& share, const std::optional<Interval>& ci95) {
    Cell cell = share_cell(share.value_or(std::numeric_limits<double>::quiet_NaN()));
    cell.value = share;
    if (ci95) cell.interval = percent_range(*ci95);
    cell.ci95 = ci95;
    return cell;
}

Cell small_share_cell(double share) {
    Cell cell = share_cell(share);
    if (share < 0.001 && share != 0) cell.text = fmt::format("{:.2g}", share);
    return cell;
}

Cell value_cell(double value, int decimals) {
    Cell cell(fixed(value, decimals));
    cell.value = value;
    return cell;
}

Cell score_cell(double score) {
    Cell cell(compact(score));
    cell.value = score;
    return cell;
}

Cell rival_cell(const std::vector<std::string>& names, std::size_t i) {
    Cell cell(names[i]);
    if (names.size() > 1) cell.style = series_styles(names)[i];
    return cell;
}

Column words(std::string title, std::string definition) {
    return {std::move(title), std::move(definition), false};
}

std::vector<std::vector<bool>> best_cells(const Table& table) {
    std::vector<std::vector<bool>> best;
    for (const std::vector<Cell>& row : table.rows) best.emplace_back(row.size(), false);
    const auto cell_at = [&](std::size_t row, std::size_t column) {
        return column < table.rows[row].size() ? &table.rows[row][column] : nullptr;
    };
    if (table.rivals == Rivals::rows) {
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            mark_best(
                table.rows.size(), [&](std::size_t r) { return cell_at(r, c); },
                [&](std::size_t r) { best[r][c] = true; });
        }
    } else if (table.rivals == Rivals::columns) {
        for (std::size_t r = 0; r < table.rows.size(); ++r) {
            mark_best(
                table.columns.size(), [&](std::size_t c) { return cell_at(r, c); },
                [&](std::size_t c) { best[r][c] = true; });
        }
    }
    return best;
}

}  // namespace fovea::report
