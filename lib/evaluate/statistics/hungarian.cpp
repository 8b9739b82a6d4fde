#include "lib/evaluate/statistics/hungarian.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

namespace fovea {
namespace {

constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max();

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

}  // namespace

HungarianMatcher::HungarianMatcher(int columns)
    : row_of_(at(columns), -1),
      column_dual_(at(columns), 0),
      distance_(at(columns), infinite),
      predecessor_(at(columns), -1),
      settled_(at(columns), 0) {}

int HungarianMatcher::add_row(std::span<const Edge> edges) {
    for (const Edge& edge : edges) {
        if (edge.column < 0 || edge.column >= columns() || edge.weight < 1 || edge.weight > largest_weight) {
            throw std::invalid_argument("HungarianMatcher: the edge to column " +
                                        std::to_string(edge.column) + " of weight " +
                                        std::to_string(edge.weight) + " is out of range");
        }
    }
    const int row = rows();
    edges_.insert(edges_.end(), edges.begin(), edges.end());
    edges_begin_.push_back(edges_.size());
    column_of_.push_back(-1);
    row_dual_.push_back(0);

    const PathEnd end = find_path(row);
    update_duals(row, end.distance);
    assign_along_path(end);

    for (const int column : reached_) {
        distance_[at(column)] = infinite;
        settled_[at(column)] = 0;
    }
    reached_.clear();
    queue_.clear();
    return end.row;
}

// In costs (minus the weights) the invariants are: row dual + column dual <= cost for every edge, equal for a
// pair; row duals <= 0, equal to 0 for a row alone; column duals <= 0, equal to 0 for a free column. They
// prove optimality.

HungarianMatcher::PathEnd HungarianMatcher::find_path(int new_row) {
    PathEnd end{0, new_row, -1};  // always possible: the new row stays alone
    reach_from(new_row, 0);
    while (!queue_.empty()) {
        std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
        const auto [distance, column] = queue_.back();
        queue_.pop_back();
        if (settled_[at(column)] != 0) continue;
        if (distance >= end.distance) break;
        settled_[at(column)] = 1;
        const int row = row_of_[at(column)];
        if (row < 0) return {distance, -1, column};
        if (distance - row_dual_[at(row)] < end.distance) end = {distance - row_dual_[at(row)], row, -1};
        reach_from(row, distance);
    }
    return end;
}

void HungarianMatcher::reach_from(int row, std::int64_t distance) {
    for (std::size_t i = edges_begin_[at(row)]; i < edges_begin_[at(row) + 1]; ++i) {
        const std::size_t column = at(edges_[i].column);
        if (settled_[column] != 0) continue;
        const std::int64_t through = distance - edges_[i].weight - row_dual_[at(row)] - column_dual_[column];
        if (through >= distance_[column]) continue;
        if (distance_[column] == infinite) reached_.push_back(edges_[i].column);
        distance_[column] = through;
        predecessor_[column] = row;
        queue_.emplace_back(through, edges_[i].column);
        std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
    }
}

void HungarianMatcher::update_duals(int new_row, std::int64_t path_length) {
    row_dual_[at(new_row)] = path_length;
    for (const int column : reached_) {
        if (settled_[at(column)] == 0) continue;
        const std::int64_t slack = path_length - distance_[at(column)];
        column_dual_[at(column)] -= slack;
        if (row_of_[at(column)] >= 0) row_dual_[at(row_of_[at(column)])] += slack;
    }
}

void HungarianMatcher::assign_along_path(const PathEnd& end) {
    changed_columns_.clear();
    int column = end.column;
    if (end.row >= 0) column = std::exchange(column_of_[at(end.row)], -1);
    while (column >= 0) {
        const int row = predecessor_[at(column)];
        row_of_[at(column)] = row;
        changed_columns_.push_back(column);
        column = std::exchange(column_of_[at(row)], column);
    }
}

}  // namespace fovea
