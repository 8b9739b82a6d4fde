#pragma once

#include <vector>

#include "lib/evaluate/statistics/isotonic.hpp"

namespace fovea {

/// A rising curve from 0 to 1: 1 / (1 + exp(−(slope · score + offset))).
struct LogisticCurve {
    double slope = 1;  ///< above 0
    double offset = 0;

    double value(double score) const;
};

/// The curve that makes the counts the likeliest, by Newton's method; a slope that would not be above
/// min_logistic_slope becomes it. Hits count as (hits + 1) / (hits + 2) and misses as 1 / (misses + 2) of
/// one, so that a finite slope fits scores without an overlap, too. \param counts in any order; finite
/// scores, counts > 0; without counts the curve is LogisticCurve{}. Source: J. Platt, "Probabilistic outputs
/// for support vector machines", 1999, with the method of H.-T. Lin, C.-J. Lin, R. Weng, "A note on Platt's
/// probabilistic outputs", Machine Learning 68, 2007.
LogisticCurve fit_logistic_curve(const std::vector<ScoreCount>& counts);

inline constexpr double min_logistic_slope = 0.01;

}  // namespace fovea
