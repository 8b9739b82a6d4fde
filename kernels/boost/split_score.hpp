#pragma once

#include <cstdint>

#include "kernels/core/view.hpp"

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

/// The sums of the samples on one side of a split.
struct SplitSums {
    std::int64_t weight = 0, response = 0;

    FOVEA_HOST_DEVICE SplitSums& operator+=(const SplitSums& other) {
        weight += other.weight;
        response += other.response;
        return *this;
    }
};

/// The part of a side in the score. A side without weight counts 0.
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

/// The score of a split by the sums of its sides: the same bits on every device.
FOVEA_HOST_DEVICE inline double split_score(SplitCriterion criterion, const SplitSums& left,
                                            const SplitSums& right) {
    return side_score(criterion, left) + side_score(criterion, right);
}

}  // namespace fovea
