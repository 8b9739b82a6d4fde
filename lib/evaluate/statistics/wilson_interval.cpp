#include "lib/evaluate/statistics/wilson_interval.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {

Interval wilson_interval(double hits, double trials) {
    if (trials <= 0) return {0, 1};
    constexpr double z = 1.959963984540054;  // two-sided 95 % of the normal distribution
    const double n = trials;
    const double p = std::clamp(hits / n, 0.0, 1.0);
    const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return {hits <= 0 ? 0.0 : std::max(0.0, centre - half),
            hits >= trials ? 1.0 : std::min(1.0, centre + half)};
}

}  // namespace fovea
