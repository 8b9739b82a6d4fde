#pragma once

#include "lib/core/types.hpp"

namespace fovea {

/// Wilson's score interval (95 %) of a rate of `hits` in `trials` that are independent; [0, 1]
/// without trials.
/// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA
/// 22, 1927.
Interval wilson_interval(double hits, double trials);

}  // namespace fovea
