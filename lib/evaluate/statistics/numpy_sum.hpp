#pragma once

#include <algorithm>
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

/// A number that is not 0 in an array of numbers.
struct ArrayTerm {
    std::size_t position = 0;
    double value = 0;
};

/// numpy_sum() of the `count` numbers from position `first` on, which are 0 except for the terms.
/// \param terms by rising position.
inline double numpy_sum(std::span<const ArrayTerm> terms, std::size_t first, std::size_t count) {
    if (terms.empty()) return 0;
    if (count > 128) {
        const std::size_t half = count / 2 / 8 * 8;
        const auto middle = std::lower_bound(
            terms.begin(), terms.end(), first + half,
            [](const ArrayTerm& term, std::size_t position) { return term.position < position; });
        const auto before = static_cast<std::size_t>(middle - terms.begin());
        return numpy_sum(terms.first(before), first, half) +
               numpy_sum(terms.subspan(before), first + half, count - half);
    }
    std::array<double, 8> sums{};
    const std::size_t whole = count < 8 ? 0 : count / 8 * 8;
    std::size_t i = 0;
    for (; i < terms.size() && terms[i].position - first < whole; ++i)
        sums[(terms[i].position - first) % 8] += terms[i].value;
    double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; i < terms.size(); ++i) sum += terms[i].value;
    return sum;
}

}  // namespace fovea
