#include "lib/evaluate/statistics/linear_assignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace fovea {
namespace {

std::vector<double> transposed_costs(std::span<const double> costs, std::size_t rows, std::size_t columns) {
    std::vector<double> transposed(costs.size());
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column)
            transposed[column * rows + row] = costs[row * columns + column];
    }
    return transposed;
}

}  // namespace

std::span<const int> LinearAssignment::solve(std::span<const double> costs, std::size_t rows,
                                             std::size_t columns) {
    const bool is_tall = columns < rows;
    if (is_tall) transposed_ = transposed_costs(costs, rows, columns);
    costs_ = is_tall ? std::span<const double>(transposed_) : costs;
    rows_ = std::min(rows, columns);
    columns_ = std::max(rows, columns);
    assign_rows();
    result_ = is_tall ? row_of_column_ : column_of_row_;
    return result_;
}

void LinearAssignment::assign_rows() {
    row_dual_.assign(rows_, 0.0);
    column_dual_.assign(columns_, 0.0);
    column_of_row_.assign(rows_, -1);
    row_of_column_.assign(columns_, -1);
    predecessor_.assign(columns_, -1);
    distance_.resize(columns_);
    is_row_reached_.resize(rows_);
    is_column_settled_.resize(columns_);
    for (std::size_t row = 0; row < rows_; ++row) {
        const int sink = find_path(row);
        update_duals(row);
        assign_along_path(row, sink);
    }
}

/// \return the free column at the end of the shortest path.
int LinearAssignment::find_path(std::size_t new_row) {
    unsettled_.resize(columns_);
    std::iota(unsettled_.rbegin(), unsettled_.rend(), 0);
    std::fill(distance_.begin(), distance_.end(), std::numeric_limits<double>::infinity());
    std::fill(is_row_reached_.begin(), is_row_reached_.end(), char{0});
    std::fill(is_column_settled_.begin(), is_column_settled_.end(), char{0});
    path_cost_ = 0;
    for (std::size_t row = new_row;;) {
        is_row_reached_[row] = 1;
        const double* const costs = &costs_[row * columns_];
        double least = std::numeric_limits<double>::infinity();
        std::size_t nearest = 0;
        for (std::size_t i = 0; i < unsettled_.size(); ++i) {
            const auto column = static_cast<std::size_t>(unsettled_[i]);
            const double reduced = path_cost_ + costs[column] - row_dual_[row] - column_dual_[column];
            if (reduced < distance_[column]) {
                predecessor_[column] = static_cast<int>(row);
                distance_[column] = reduced;
            }
            const bool is_free = row_of_column_[column] < 0;
            if (distance_[column] < least || (distance_[column] == least && is_free)) {
                least = distance_[column];
                nearest = i;
            }
        }
        path_cost_ = least;
        const int column = unsettled_[nearest];
        is_column_settled_[static_cast<std::size_t>(column)] = 1;
        // The order of the others decides between equal costs.
        unsettled_[nearest] = unsettled_.back();
        unsettled_.pop_back();
        const int taken_by = row_of_column_[static_cast<std::size_t>(column)];
        if (taken_by < 0) return column;
        row = static_cast<std::size_t>(taken_by);
    }
}

void LinearAssignment::update_duals(std::size_t new_row) {
    row_dual_[new_row] += path_cost_;
    for (std::size_t row = 0; row < rows_; ++row) {
        if (!is_row_reached_[row] || row == new_row) continue;
        row_dual_[row] += path_cost_ - distance_[static_cast<std::size_t>(column_of_row_[row])];
    }
    for (std::size_t column = 0; column < columns_; ++column) {
        if (is_column_settled_[column]) column_dual_[column] -= path_cost_ - distance_[column];
    }
}

void LinearAssignment::assign_along_path(std::size_t new_row, int sink) {
    for (int column = sink;;) {
        const int row = predecessor_[static_cast<std::size_t>(column)];
        row_of_column_[static_cast<std::size_t>(column)] = row;
        std::swap(column_of_row_[static_cast<std::size_t>(row)], column);
        if (static_cast<std::size_t>(row) == new_row) return;
    }
}

}  // namespace fovea
