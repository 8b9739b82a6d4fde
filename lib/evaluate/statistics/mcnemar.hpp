#pragma once

#include <optional>

namespace fovea {

/// Whether two detectors find the same faces: how many each finds that the other misses.
struct McNemar {
    int both = 0;
    int only_first = 0;
    int only_second = 0;
    int neither = 0;
    /// Two-sided, under the hypothesis that a face found by one alone is found by either equally often; 1
    /// where there is none.
    double p_value = 1;
    bool exact = true;                  ///< by the binomial distribution, else by chi-squared
    std::optional<double> chi_squared;  ///< with continuity correction; absent where exact
    std::optional<double> odds_ratio;   ///< only_second / only_first; absent without the latter
};

/// McNemar's test. Up to 50 faces found by one alone: twice the smaller tail of Binomial(n, 1/2), at most 1.
/// More: (|b - c| - 1)^2 / (b + c) against chi-squared with one degree of freedom.
///
/// The test takes faces to be independent, which faces of one image are not quite; the paired bootstrap over
/// images does not. Sources: Q. McNemar, Psychometrika 12, 1947; A. L. Edwards, Psychometrika 13, 1948
/// (continuity correction).
McNemar mcnemar_test(int both, int only_first, int only_second, int neither);

}  // namespace fovea
