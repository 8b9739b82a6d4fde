#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fovea {

/// Maximum-weight one-to-one assignment of rows to columns, for sparse and rectangular problems, kept optimal
/// while rows are added one by one.
///
/// After every add_row the pairs held are an assignment of largest total weight for the rows added so far;
/// rows and columns may stay alone. The result depends only on the rows and their order, so the assignment of
/// the first k rows is what a new solver given only these would hold. Among assignments of equal weight, the
/// row added last is the first to go without a column; the rest is fixed by the order of rows and columns.
///
/// Each row costs one search for a shortest augmenting path (Dijkstra's algorithm on reduced costs) over the
/// columns that it can reach: O(E log E) with E the edges there, so O(n^3 log n) at worst for a dense problem
/// of n rows. Weights are integers, so optimality is exact.
///
/// Source: the Hungarian method (H. W. Kuhn 1955, J. Munkres 1957) in the form of successive shortest paths
/// with dual variables (R. Jonker and A. Volgenant, "A shortest augmenting path algorithm for dense and
/// sparse linear assignment problems", Computing 38, 1987); going without a column is a private column of
/// weight 0 for every row.
class HungarianMatcher {
  public:
    struct Edge {
        int column = 0;
        std::int64_t weight = 0;  ///< 1 ... largest_weight
    };
    /// Sums along a path of reduced costs stay below 4 times the largest weight.
    static constexpr std::int64_t largest_weight = std::int64_t{1} << 60;

    explicit HungarianMatcher(int columns);

    /// Adds a row with the columns it may take (each at most once; none is fine) and restores optimality.
    ///
    /// \return the row that is left without a column by this step: the new row itself, an earlier one that
    /// gave its column away, or -1 if a further column is taken. A row left alone once stays alone; a column
    /// taken once stays taken.
    /// \throws std::invalid_argument for a column or weight out of range.
    int add_row(std::span<const Edge> edges);

    int rows() const { return static_cast<int>(column_of_.size()); }
    int columns() const { return static_cast<int>(row_of_.size()); }
    int row_of(int column) const { return row_of_[static_cast<std::size_t>(column)]; }  ///< or -1
    int column_of(int row) const { return column_of_[static_cast<std::size_t>(row)]; }  ///< or -1
    /// The columns whose row the last step changed.
    const std::vector<int>& changed_columns() const { return changed_columns_; }

  private:
    struct PathEnd {
        std::int64_t distance = 0;
        int row = -1;     // the row that goes without a column, or
        int column = -1;  // the free column that is taken
    };
    PathEnd find_path(int new_row);
    void reach_from(int row, std::int64_t distance);
    void update_duals(int new_row, std::int64_t path_length);
    void assign_along_path(const PathEnd& end);

    // Rows and their edges, one row after the other.
    std::vector<Edge> edges_;
    std::vector<std::size_t> edges_begin_{0};
    std::vector<int> column_of_;
    std::vector<std::int64_t> row_dual_;
    // Columns.
    std::vector<int> row_of_;
    std::vector<std::int64_t> column_dual_;
    std::vector<int> changed_columns_;
    // The search: what is not in `reached_` is at infinity.
    std::vector<std::int64_t> distance_;
    std::vector<int> predecessor_;  // row from which a column was reached
    std::vector<char> settled_;
    std::vector<int> reached_;
    std::vector<std::pair<std::int64_t, int>> queue_;  // min-heap of (distance, column)
};

}  // namespace fovea
