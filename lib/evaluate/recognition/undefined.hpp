#pragma once

#include <limits>

namespace fovea {

/// The value of a number that is not defined, as a rate of nothing.
inline constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace fovea
