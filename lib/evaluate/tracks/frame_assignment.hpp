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

/// Pairs rows and columns of a frame one to one so that the sum of the weights is largest, as scipy's
/// linear_sum_assignment does on the whole matrix with 0 where no pair is given, but without that matrix
/// where the best choice is clear.
///
/// Pairs that share neither row nor column with others are taken. Groups of pairs are solved for themselves
/// if every other choice is worse by more than rounding can do; else the whole matrix is solved.
class FrameAssignment {
  public:
    /// \param pairs by rising row and column, none twice.
    /// \return indices of those taken, by rising row; valid until the next call.
    std::span<const std::uint32_t> solve(std::span<const WeightedPair> pairs, std::size_t rows,
                                         std::size_t columns);

    /// The same with costs in place of weights, so that the sum of the costs is least, as motmetrics has it
    /// with scipy. \param missing the cost where no pair is given, above all others: as many pairs as there
    /// can be are taken.
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
