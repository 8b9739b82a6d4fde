#pragma once

#include <cstddef>
#include <span>

#include "kernels/boost/split_score.hpp"

namespace fovea {

/// A cut between bins in their order: those before `end` are on the left.
struct BestCut {
    double score = 0;  ///< 0: there is none
    std::size_t end = 0;
};

/// The cut of the highest score, and of equal ones the first, with weight on both sides. Bins without weight
/// count for nothing: the first of equal cuts is behind a bin that has some. \param bins their sums, at most
/// 256. \param total the sums of all samples; what no bin has is on the right
BestCut best_cut(SplitCriterion criterion, std::span<const SplitSums> bins, const SplitSums& total);

}  // namespace fovea
