#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <span>

namespace fovea {

/// The sum that numpy makes of contiguous doubles, in its order: eight running sums up to 128 numbers, halves
/// of a multiple of eight beyond. Source: numpy 1.26, pairwise summation.
inline double numpy_sum(std::span<const double> values) {
    if (values.size() < 8) return std::accumulate(values.begin(), values.end(), 0.0);
    if (values.size() > 128) {
        const std::size_t half = values.size() / 2 / 8 * 8;
        return numpy_sum(values.first(half)) + numpy_sum(values.subspan(half));
    }
    std::array<double, 8> sums{};
    const std::size_t whole = values.size() / 8 * 8;
    for (std::size_t i = 0; i < whole; ++i) sums[i % 8] += values[i];
    const double sum =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(whole), values.end(), sum);
}

}  // namespace fovea
