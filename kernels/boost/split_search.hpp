#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/boost/feature_bins.hpp"

namespace fovea {

/// A sample's weight and its weight times its response (±1, or LogitBoost's), as integers: their sums are
/// exact, so that they do not depend on the order of threads. The sum of all weights is at most
/// BoostWeight::max_sum, that of the responses' sizes also.
struct BoostWeight {
    static constexpr std::int64_t max_sum = std::int64_t{1} << 30;

    std::int32_t weight = 0;
    std::int32_t response = 0;
};

/// The score of a split: the larger, the better.
enum class SplitCriterion {
    squares,  ///< Σ responses² / weight of both sides: regression (gentle AdaBoost, LogitBoost)
    gini,     ///< the purity of both sides (real AdaBoost)
    error,    ///< the weight of the samples that a sign per side gets right (discrete AdaBoost)
};

/// The score of a split by the sums of its sides. Sides without weight count 0.
double split_score(SplitCriterion criterion, std::int64_t left_weight, std::int64_t left_response,
                   std::int64_t right_weight, std::int64_t right_response);

/// A way to split samples by a feature.
struct FeatureSplit {
    std::size_t feature = 0;
    double score = 0;
    std::array<std::uint32_t, 8>
        subset{};  ///< of bins, or LBP codes, that go left; codes of no sample go right
};

/// The best split by each of the best features: best first, and of equal ones the feature that comes first.
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

/// Nothing if no two values differ. As opencv_traincascade (OpenCV 3.4), neighbours must differ by more than
/// 2 · FLT_EPSILON, and the threshold lies in the middle between them. Parameters as best_splits.
std::optional<ThresholdSplit> best_threshold(const SampleIntegrals& integrals, const HaarFeature& feature,
                                             std::span<const std::uint32_t> samples,
                                             std::span<const BoostWeight> weights, SplitCriterion criterion);

}  // namespace fovea
