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
    /// of bins, or LBP codes, that go left; codes of no sample go right
    std::array<std::uint32_t, 8> subset{};
};

/// The best split by each of the best features: best first, and of equal ones the feature that comes first.
/// The same on every device and for every number of threads.
/// A Haar feature's bins are split in two; an LBP feature's 256 codes are put in the order of their mean
/// response (L. Breiman et al., 1984, theorem 4.5: the best of all subsets is among these).
/// \param samples numbers of the samples, rising. \param weights parallel to `samples`.
/// \param most features. Features that split nothing are left out.
std::vector<FeatureSplit> best_splits(const FeatureBins& bins, std::span<const std::uint32_t> samples,
                                      std::span<const BoostWeight> weights, SplitCriterion criterion,
                                      std::size_t most);

/// The best threshold of a Haar feature over the exact values: those below go left.
struct ThresholdSplit {
    double score = 0;
    float threshold = 0;
};

/// Nothing if no two values differ. Neighbours must differ by more than 2 · FLT_EPSILON, and the threshold
/// lies in the middle between them, as in opencv_traincascade (OpenCV 3.4). Parameters as best_splits.
std::optional<ThresholdSplit> best_threshold(const SampleIntegrals& integrals, const HaarFeature& feature,
                                             std::span<const std::uint32_t> samples,
                                             std::span<const BoostWeight> weights, SplitCriterion criterion);

}  // namespace fovea
