#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/boost/feature_bins.hpp"
#include "kernels/boost/split_score.hpp"

namespace fovea {

/// A way to split samples by a feature.
struct FeatureSplit {
    std::size_t feature = 0;
    double score = 0;
    /// A bit for each bin or LBP code: 1 goes left. Codes that no sample has go right.
    std::array<std::uint32_t, 8> subset{};
};

/// Finds the features that split the samples best, and the best split by each: best first, the lower feature
/// first among equals. The result is the same on every device and for every number of threads.
/// A Haar feature's bins are split in two. An LBP feature's 256 codes are put in the order of their mean
/// response first (L. Breiman et al., 1984, theorem 4.5: one of these splits is the best of all subsets).
/// \param samples numbers of the samples, rising. \param weights parallel to `samples`.
/// \param most features to return. Features that split nothing are left out.
std::vector<FeatureSplit> best_splits(const FeatureBins& bins, std::span<const std::uint32_t> samples,
                                      std::span<const BoostWeight> weights, SplitCriterion criterion,
                                      std::size_t most);

/// A split by a Haar feature's exact values: values below the threshold go left.
struct ThresholdSplit {
    double score = 0;
    float threshold = 0;
};

/// Finds the threshold of the best split by a Haar feature. It lies in the middle between two neighbouring
/// values that differ by more than 2 · FLT_EPSILON, as in opencv_traincascade (OpenCV 3.4). Empty if there
/// are no such neighbours. Parameters as best_splits.
std::optional<ThresholdSplit> best_threshold(const SampleIntegrals& integrals, const HaarFeature& feature,
                                             std::span<const std::uint32_t> samples,
                                             std::span<const BoostWeight> weights, SplitCriterion criterion);

}  // namespace fovea
