#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/view.hpp"

// The arithmetic of distances between regional histograms, host and device alike.
//
// Every distance comes from a sum of integers over bins, times the block's integer weight, summed over
// blocks. It is exact in any order, so that backends, splits and batch sizes give the same result. Only the
// last step, once for every pair, is in double.
namespace fovea {

/// The distance of counts a from counts b: Σ w is over blocks with weight w, the inner Σ over their bins.
enum class HistogramDistance {
    chi_square,  ///< Σ w Σ (a - b)² / (a + b)
    /// Σ w (A + B) / 2 - Σ w Σ min(a, b), where A and B are the blocks' sums: 0 for equal histograms
    intersection,
    l1,      ///< Σ w Σ |a - b|
    l2,      ///< √(Σ w Σ (a - b)²)
    cosine,  ///< 1 - Σ w Σ ab / √(Σ w Σ a² · Σ w Σ b²); 1 if a vector is 0 everywhere
};

/// The number of fractional bits of chi-square's terms, at most 10: as many as keep terms below 2^21, since
/// 4ab / (a + b) <= 2 · largest. \param largest of all blocks of the layout.
FOVEA_HOST_DEVICE inline int chi_square_bits(std::uint32_t largest) {
    int bits = 10;
    while (bits > 0 && (std::uint64_t{2} * largest << bits) >= (std::uint64_t{1} << 21)) --bits;
    return bits;
}

/// The term 4ab / (a + b) of two counts in units of 2^-bits, rounded to even; 0 if a + b is 0.
///
/// (a - b)² / (a + b) is (a + b) - 4ab / (a + b), so a block's chi-square is its A + B less the sum of these
/// terms, and bins that are empty on one side add nothing. Steps in IEEE single precision: ab; 2^(bits + 2)
/// divided by a + b; their product; rounding to an integer by adding 1.5 · 2^23. The error is below 0.5 units
/// plus 2^-22 of the term.
FOVEA_HOST_DEVICE inline std::int32_t chi_square_term(std::uint32_t a, std::uint32_t b, int bits) {
    if (a + b == 0) return 0;
    const float scale = static_cast<float>(std::uint32_t{1} << (bits + 2));
    const float product = static_cast<float>(a) * static_cast<float>(b);
    const float term = product * (scale / static_cast<float>(a + b));
    constexpr float magic = 12582912.0F;  // 1.5 · 2^23
    return static_cast<std::int32_t>((term + magic) - magic);
}

/// Computes the distance from a pair's sums over all blocks, with weights in units of 1/256.
/// \param sum for chi-square Σ w ((A + B) 2^bits - Σ chi_square_term), for intersection
/// Σ w (A + B - 2 Σ min), for l1 Σ w Σ |a - b|, for l2 Σ w Σ (a - b)², for cosine Σ w Σ ab.
/// \param first, second for cosine Σ w Σ a² and Σ w Σ b²; else unused.
FOVEA_HOST_DEVICE inline double finished_distance(HistogramDistance distance, int bits, std::int64_t sum,
                                                  std::int64_t first, std::int64_t second) {
    constexpr double weight_unit = 256;
    const double value = static_cast<double>(sum);
    switch (distance) {
        case HistogramDistance::chi_square: {
            const double distance_units = weight_unit * static_cast<double>(std::uint32_t{1} << bits);
            return value > 0 ? value / distance_units
                             : 0;  // rounded terms of equal histograms may exceed A + B
        }
        case HistogramDistance::intersection:
            return value / (2 * weight_unit);
        case HistogramDistance::l1:
            return value / weight_unit;
        case HistogramDistance::l2:
            return sqrt(value / weight_unit);
        case HistogramDistance::cosine:
            break;
    }
    if (first <= 0 || second <= 0) return 1;
    const double similarity = value / (sqrt(static_cast<double>(first)) * sqrt(static_cast<double>(second)));
    return similarity < 1 ? 1 - similarity : 0;
}

}  // namespace fovea
