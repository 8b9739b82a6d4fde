#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/evaluate/statistics/linear_assignment.hpp"

namespace fovea {

/// A row and a column that may be paired.
struct WeightedPair {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    double weight = 0;  ///< above 0
};

/// Pairs rows and columns of a frame one to one so that the sum of the weights is largest. The result is that
/// of scipy's linear_sum_assignment on the whole matrix, which has 0 where no pair is given.
///
/// The matrix is not needed where the best choice is clear: pairs that share neither row nor column with
/// others are taken, and groups of pairs are solved by themselves if every other choice is worse by more than
/// rounding errors.
class FrameAssignment {
  public:
    /// Pairs rows and columns. \param pairs by rising row and column, none twice.
    /// \return indices of the pairs taken, by rising row; valid until the next call.
    std::span<const std::uint32_t> solve(std::span<const WeightedPair> pairs, std::size_t rows,
                                         std::size_t columns);

    /// Takes weights as costs and makes their sum least, as motmetrics does with scipy. \param missing the
    /// cost where no pair is given; above all others, so that as many pairs as possible are taken.
    std::span<const std::uint32_t> solve_costs(std::span<const WeightedPair> pairs, std::size_t rows,
                                               std::size_t columns, double missing);

  private:
    bool solve_groups(std::span<const WeightedPair> pairs, std::size_t rows, std::size_t columns);
    bool solve_group(std::span<const WeightedPair> pairs, std::span<const std::uint32_t> members);
    bool solve_star(std::span<const WeightedPair> pairs, std::span<const std::uint32_t> members);
    bool solve_tangle(std::span<const WeightedPair> pairs, std::span<const std::uint32_t> members);
    void solve_whole(std::span<const WeightedPair> pairs, std::size_t rows, std::size_t columns);
    void take_assigned(std::span<const WeightedPair> pairs, std::size_t rows, std::size_t columns);
    std::uint32_t root(std::uint32_t node);

    LinearAssignment assignment_;
    std::vector<double> costs_;
    std::vector<std::uint32_t> taken_;
    std::vector<std::uint32_t> parent_;  // rows, then columns: a forest, a tree for each group
    std::vector<std::uint32_t> order_;
    std::vector<WeightedPair> weighted_;
    std::vector<std::uint32_t> rows_of_group_;
    std::vector<std::uint32_t> columns_of_group_;
};

}  // namespace fovea
