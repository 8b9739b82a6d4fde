#pragma once

#include <cmath>
#include <cstddef>

#include "kernels/core/view.hpp"

namespace fovea {

// The arithmetic of a Haar feature's bins, the same on every device.

/// Bin b of a feature is [least + b / scale, least + (b + 1) / scale); bins 0 and 255 also have all values
/// beyond. If the scale is 0, all values are in bin 0.
struct BinRange {
    float least = 0;
    float scale = 0;
};

/// The number of samples that the range is estimated from: enough for an error of a tenth of a deviation.
inline constexpr std::size_t max_range_samples = 256;

/// Estimates the range from samples at equal distances, in double precision and in their order.
/// \param value_of gives the float value of a sample.
template <class ValueOf>
FOVEA_HOST_DEVICE inline BinRange bin_range(std::size_t sample_count, const ValueOf& value_of) {
    // The bins reach to so many deviations from the mean.
    constexpr double reach = 3.5;
    const std::size_t count = sample_count < max_range_samples ? sample_count : max_range_samples;
    if (count == 0) return {};
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(value_of(i * sample_count / count));
        sum += value;
        squares += value * value;
    }
    const double mean = sum / static_cast<double>(count);
    const double variance = squares / static_cast<double>(count) - mean * mean;
    const double deviation = variance > 0 ? sqrt(variance) : 0;
    if (!(deviation > 0)) return {};
    return {static_cast<float>(mean - reach * deviation), static_cast<float>(256 / (2 * reach * deviation))};
}

}  // namespace fovea
