#pragma once

#include <cstdint>

#include "kernels/core/view.hpp"

namespace fovea {

/// A sample's weight, and its weight times its response (±1, or LogitBoost's), as integers: their sums are
/// exact and do not depend on the order of threads.
struct BoostWeight {
    /// The sum of all samples' weights is at most this, and so is the sum of |response|.
    static constexpr std::int64_t max_sum = std::int64_t{1} << 30;

    std::int32_t weight = 0;
    std::int32_t response = 0;
};

/// How a split is scored; the larger the score, the better.
enum class SplitCriterion {
    squares,  ///< Σ responses² / weight of both sides: regression (gentle AdaBoost, LogitBoost)
    gini,     ///< the purity of both sides (real AdaBoost)
    error,    ///< the weight of the samples that a sign per side gets right (discrete AdaBoost)
};

/// The sums of the samples on one side of a split.
struct SplitSums {
    std::int64_t weight = 0, response = 0;

    FOVEA_HOST_DEVICE SplitSums& operator+=(const SplitSums& other) {
        weight += other.weight;
        response += other.response;
        return *this;
    }
};

/// One side's part of the score; 0 for a side without weight.
FOVEA_HOST_DEVICE inline double side_score(SplitCriterion criterion, const SplitSums& side) {
    if (side.weight <= 0) return 0;
    const auto weight = static_cast<double>(side.weight), response = static_cast<double>(side.response);
    switch (criterion) {
        case SplitCriterion::squares:
            return response * response / weight;
        case SplitCriterion::gini:
            return (weight * weight + response * response) / (2 * weight);
        case SplitCriterion::error:
            return (weight + (response < 0 ? -response : response)) / 2;
    }
    return 0;
}

/// The score of a split by the sums of its sides, equal in every bit on every device.
FOVEA_HOST_DEVICE inline double split_score(SplitCriterion criterion, const SplitSums& left,
                                            const SplitSums& right) {
    return side_score(criterion, left) + side_score(criterion, right);
}

}  // namespace fovea
