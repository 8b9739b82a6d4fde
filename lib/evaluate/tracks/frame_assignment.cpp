#include "lib/evaluate/tracks/frame_assignment.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fovea {
namespace {

/// The part of the weights by which the best choice must be better than all others to be clear: more than the
/// rounding errors of a sum of thousands of them.
constexpr double clear_margin = 1e-9;
/// Beyond, proving that a choice is clear costs more than solving the whole.
constexpr std::size_t max_tangle = 24;

std::uint32_t place_in(const std::vector<std::uint32_t>& sorted, std::uint32_t value) {
    return static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

void make_set(std::vector<std::uint32_t>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

double weight_of(std::span<const int> columns, std::span<const double> costs, std::size_t width) {
    double sum = 0;
    for (std::size_t row = 0; row < columns.size(); ++row) {
        if (columns[row] >= 0) sum -= costs[row * width + static_cast<std::size_t>(columns[row])];
    }
    return sum;
}

}  // namespace

std::span<const std::uint32_t> FrameAssignment::solve(std::span<const WeightedPair> pairs, std::size_t rows,
                                                      std::size_t columns) {
    taken_.clear();
    if (!solve_groups(pairs, rows, columns)) solve_whole(pairs, rows, columns);
    return taken_;
}

std::uint32_t FrameAssignment::root(std::uint32_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
}

/// \return false if the best choice is not clear.
bool FrameAssignment::solve_groups(std::span<const WeightedPair> pairs, std::size_t rows,
                                   std::size_t columns) {
    parent_.resize(rows + columns);
    std::iota(parent_.begin(), parent_.end(), 0u);
    bool is_every_pair_alone = true;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::uint32_t row = root(pairs[i].row);
        const auto column = static_cast<std::uint32_t>(rows) + pairs[i].column;
        const bool shares_row = i > 0 && pairs[i - 1].row == pairs[i].row;
        is_every_pair_alone = is_every_pair_alone && !shares_row && parent_[column] == column;
        parent_[root(column)] = row;
    }
    order_.resize(pairs.size());
    std::iota(order_.begin(), order_.end(), 0u);
    if (is_every_pair_alone) {
        taken_ = order_;
        return true;
    }
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return root(pairs[a].row) < root(pairs[b].row);
    });
    for (std::size_t begin = 0; begin < order_.size();) {
        std::size_t end = begin + 1;
        while (end < order_.size() && root(pairs[order_[end]].row) == root(pairs[order_[begin]].row)) ++end;
        if (!solve_group(pairs, std::span(order_).subspan(begin, end - begin))) return false;
        begin = end;
    }
    std::sort(taken_.begin(), taken_.end());
    return true;
}

bool FrameAssignment::solve_group(std::span<const WeightedPair> pairs,
                                  std::span<const std::uint32_t> members) {
    const WeightedPair& first = pairs[members.front()];
    const bool is_star = std::all_of(members.begin(), members.end(),
                                     [&](std::uint32_t i) { return pairs[i].row == first.row; }) ||
                         std::all_of(members.begin(), members.end(),
                                     [&](std::uint32_t i) { return pairs[i].column == first.column; });
    return is_star ? solve_star(pairs, members) : solve_tangle(pairs, members);
}

/// One row, or one column.
bool FrameAssignment::solve_star(std::span<const WeightedPair> pairs,
                                 std::span<const std::uint32_t> members) {
    std::uint32_t best = members.front();
    double second = 0;
    for (const std::uint32_t i : members.subspan(1)) {
        second = std::max(second, std::min(pairs[i].weight, pairs[best].weight));
        if (pairs[i].weight > pairs[best].weight) best = i;
    }
    taken_.push_back(best);
    return members.size() == 1 || pairs[best].weight - second > clear_margin * pairs[best].weight;
}

/// The choice is clear if the best one without any one of its pairs is worse.
bool FrameAssignment::solve_tangle(std::span<const WeightedPair> pairs,
                                   std::span<const std::uint32_t> members) {
    rows_of_group_.clear();
    columns_of_group_.clear();
    for (const std::uint32_t i : members) {
        rows_of_group_.push_back(pairs[i].row);
        columns_of_group_.push_back(pairs[i].column);
    }
    make_set(rows_of_group_);
    make_set(columns_of_group_);
    const std::size_t height = rows_of_group_.size();
    const std::size_t width = columns_of_group_.size();
    if (std::min(height, width) > max_tangle) return false;
    costs_.assign(height * width, 0.0);
    const auto cost_of = [&](std::uint32_t i) -> double& {
        return costs_[place_in(rows_of_group_, pairs[i].row) * width +
                      place_in(columns_of_group_, pairs[i].column)];
    };
    double largest = 0;
    for (const std::uint32_t i : members) {
        cost_of(i) = -pairs[i].weight;
        largest = std::max(largest, pairs[i].weight);
    }
    const std::span<const int> best = assignment_.solve(costs_, height, width);
    const double best_weight = weight_of(best, costs_, width);
    const std::size_t begin = taken_.size();
    for (const std::uint32_t i : members) {
        const int column = best[place_in(rows_of_group_, pairs[i].row)];
        if (column == static_cast<int>(place_in(columns_of_group_, pairs[i].column))) taken_.push_back(i);
    }
    for (std::size_t k = begin; k < taken_.size(); ++k) {
        double& cost = cost_of(taken_[k]);
        const double kept = std::exchange(cost, 0.0);
        const double weight = weight_of(assignment_.solve(costs_, height, width), costs_, width);
        cost = kept;
        if (best_weight - weight <= clear_margin * largest) return false;
    }
    return true;
}

std::span<const std::uint32_t> FrameAssignment::solve_costs(std::span<const WeightedPair> pairs,
                                                            std::size_t rows, std::size_t columns,
                                                            double missing) {
    weighted_.assign(pairs.begin(), pairs.end());
    for (WeightedPair& pair : weighted_) pair.weight = missing - pair.weight;
    taken_.clear();
    if (solve_groups(weighted_, rows, columns)) return taken_;
    costs_.assign(rows * columns, missing);
    for (const WeightedPair& pair : pairs) costs_[pair.row * columns + pair.column] = pair.weight;
    take_assigned(pairs, rows, columns);
    return taken_;
}

void FrameAssignment::solve_whole(std::span<const WeightedPair> pairs, std::size_t rows,
                                  std::size_t columns) {
    costs_.assign(rows * columns, -0.0);
    for (const WeightedPair& pair : pairs) costs_[pair.row * columns + pair.column] = -pair.weight;
    take_assigned(pairs, rows, columns);
}

void FrameAssignment::take_assigned(std::span<const WeightedPair> pairs, std::size_t rows,
                                    std::size_t columns) {
    const std::span<const int> column_of = assignment_.solve(costs_, rows, columns);
    taken_.clear();
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
        if (column_of[pairs[i].row] == static_cast<int>(pairs[i].column)) taken_.push_back(i);
    }
}

}  // namespace fovea
