#pragma once

#include <limits>
#include <optional>

namespace fovea {

/// The value of a number that is not defined, as a rate of nothing.
inline constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

/// part / whole, and 0 where the whole is 0: no NaN reaches a report.
inline double rate_of(double part, double whole) {
    return whole > 0 ? part / whole : 0.0;
}

/// part / whole, and `undefined` where the whole is 0.
inline double defined_rate(double part, double whole) {
    return whole > 0 ? part / whole : undefined;
}

/// part / whole, and nothing where the whole is 0.
inline std::optional<double> known_rate(double part, double whole) {
    return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

}  // namespace fovea
