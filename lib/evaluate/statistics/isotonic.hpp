#pragma once

#include <vector>

namespace fovea {

/// Counts at a score: how many, and how many of these were right.
struct ScoreCount {
    double score = 0;
    double count = 0;
    double hits = 0;
};

/// A step of a rising curve: its value from `score` on, up to the next step's.
struct IsotonicStep {
    double score = 0;
    double value = 0;
};

/// The curve that never falls and has the least squared error to the hit rates at the scores, each weighted
/// by its count: pool adjacent violators. Scores that pool to one value are one step.
/// \param counts in any order; equal scores are taken together. Counts are > 0.
/// Source: M. Ayer et al., "An empirical distribution function for sampling with incomplete
/// information", Annals of Mathematical Statistics 26, 1955; for the calibration of scores: B. Zadrozny,
/// C. Elkan, KDD 2002.
std::vector<IsotonicStep> isotonic_regression(std::vector<ScoreCount> counts);

/// The curve's value at a score; below the first step the first's. \param curve not empty.
double isotonic_value(const std::vector<IsotonicStep>& curve, double score);

}  // namespace fovea
