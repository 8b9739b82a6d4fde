#pragma once

#include <cmath>
#include <cstddef>

#include "kernels/core/view.hpp"

namespace fovea {

// The arithmetic of a Haar feature's bins, the same on every device.

/// The bins of a feature are [least + b / scale, least + (b + 1) / scale), and the outer ones have all
/// beyond. A scale of 0: all values are in bin 0.
struct BinRange {
    float least = 0;
    float scale = 0;
};

/// Samples that the bins' range is estimated from: enough for one part in ten of a deviation.
inline constexpr std::size_t max_range_samples = 256;

/// From samples at equal distances, in double precision and their order. \param value_of(sample) a float.
template <class ValueOf>
FOVEA_HOST_DEVICE inline BinRange bin_range(std::size_t sample_count, const ValueOf& value_of) {
    // Deviations from the mean that the bins reach to.
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
