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

/// Fits the curve of largest likelihood by Newton's method; the slope is at least min_logistic_slope. The
/// target of a hit is (hits + 1) / (hits + 2) and of a miss 1 / (misses + 2), so that the slope stays finite
/// where the scores of hits and misses do not overlap. Source: J. Platt, "Probabilistic outputs for support
/// vector machines", 1999, with the method of H.-T. Lin, C.-J. Lin, R. Weng, "A note on Platt's probabilistic
/// outputs", Machine Learning 68, 2007.
/// \param counts in any order; finite scores, counts > 0; without counts the curve is LogisticCurve{}.
LogisticCurve fit_logistic_curve(const std::vector<ScoreCount>& counts);

inline constexpr double min_logistic_slope = 0.01;

}  // namespace fovea
