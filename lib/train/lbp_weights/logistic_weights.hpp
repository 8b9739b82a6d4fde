#pragma once

#include <vector>

#include "lib/train/lbp_weights/region_pairs.hpp"

namespace fovea {

/// Weights of regions from pairs, by logistic regression with weights that are not negative.
///
/// Minimises over w >= 0 and b:
///     mean of log(1 + exp(-y (b - w·x))) + ridge · Σ w² / regions.
/// x are the regions' distances of a pair, divided by the standard deviation of their sums; y is 1 for one
/// subject, -1 for two. The function is strictly convex in w, so that there is one minimum. Projected Newton
/// steps (Bertsekas, "Projected Newton methods for optimization problems with simple constraints", SIAM J.
/// Control and Optimization 20, 1982) find it to a projected gradient below 1e-9. The result is scaled to a
/// mean of 1. It uses the threads of the caller's TBB arena, and is equal for any number of them.
/// \param ridge above 0.
/// \throws std::invalid_argument for a ridge out of its range; Error if pairs of one kind are missing, or if
/// no region is nearer in pairs of one subject.
std::vector<double> logistic_weights(const RegionPairs& pairs, double ridge);

}  // namespace fovea
