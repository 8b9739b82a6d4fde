#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fovea {

/// Assigns the rows of a dense matrix of costs to its columns so that the sum of the costs is least: as many
/// pairs as the shorter side has.
///
/// Costs are doubles and equal costs are common, so the choice among assignments of one cost is a part of the
/// contract: it is that of scipy's linear_sum_assignment (1.17). Rows are added one by one, each by a
/// shortest augmenting path. The search looks at the columns in the order in which that program keeps them,
/// from the last to the first at the beginning, and prefers a free column among equally near ones. A matrix
/// with more rows than columns is solved transposed.
///
/// Source: D. F. Crouse, "On implementing 2D rectangular assignment algorithms", IEEE Transactions on
/// Aerospace and Electronic Systems 52 (4), 2016.
class LinearAssignment {
  public:
    /// Assigns rows to columns. \param costs rows × columns, row by row; finite.
    /// \return for every row its column, or -1; valid until the next call.
    std::span<const int> solve(std::span<const double> costs, std::size_t rows, std::size_t columns);

  private:
    void assign_rows();
    int find_path(std::size_t new_row);
    void update_duals(std::size_t new_row);
    void assign_along_path(std::size_t new_row, int sink);

    // The problem as it is solved: it has no more rows than columns.
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::span<const double> costs_;
    std::vector<double> transposed_;
    std::vector<double> row_dual_;
    std::vector<double> column_dual_;
    std::vector<int> column_of_row_;
    std::vector<int> row_of_column_;
    // The search from one row.
    double path_cost_ = 0;
    std::vector<double> distance_;
    std::vector<int> predecessor_;
    std::vector<int> unsettled_;
    std::vector<char> is_row_reached_;
    std::vector<char> is_column_settled_;
    std::vector<int> result_;
};

}  // namespace fovea
