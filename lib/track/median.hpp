#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fovea {

/// The median of one value or more; of an even number, the larger one of the two in the middle.
inline double upper_median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace fovea
