#pragma once

#include <cstddef>
#include <span>

#include "kernels/boost/split_score.hpp"

namespace fovea {

/// A cut between bins in their order: bins before `end` are on the left.
struct BestCut {
    double score = 0;  ///< 0: there is no cut
    std::size_t end = 0;
};

/// Finds the cut of the highest score that has weight on both sides; the first of equal cuts wins. A cut
/// always lies right behind a bin with weight. \param bins sums of each bin, at most 256. \param total sums
/// of all samples; samples in no bin count on the right. \throws std::invalid_argument for more bins
BestCut best_cut(SplitCriterion criterion, std::span<const SplitSums> bins, const SplitSums& total);

}  // namespace fovea
