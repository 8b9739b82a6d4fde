#pragma once

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/core/view.hpp"

// The arithmetic of distances between vectors of 16-bit integers, host and device alike.
//
// Sums of products are exact integers below 2^43, so that backends, splits and batch sizes give the same. The
// other steps are in IEEE doubles, once for every pair. A search compares ranks, which order the pairs of a
// query as their distances do but cost less. A filter in single precision tells the pairs that cannot be
// among the nearest; it is conservative, so that its own rounding changes no result.
namespace fovea {

/// The distance of two vectors a and b of integers from -32767 to 32767.
enum class VectorDistance {
    euclidean,  ///< √(Σ (a - b)²) / 32767
    cosine,     ///< 1 - Σ ab / (√(Σ a²) · √(Σ b²)), at least 0; 1 if a vector is 0 everywhere
};

constexpr std::size_t max_vector_length = 4096;
constexpr int max_vector_component = 32767;

/// A vector's part of its ranks: Σ a², exactly, or for cosine its root.
FOVEA_HOST_DEVICE inline double vector_own(VectorDistance distance, std::int64_t squares) {
    const double value = static_cast<double>(squares);
    return distance == VectorDistance::euclidean ? value : sqrt(value);
}

/// The rank of a pair: Σ (a - b)², which is exact, or for cosine the distance itself. It is never negative.
/// \param dot Σ ab. \param first, second vector_own() of the vectors, in any order.
FOVEA_HOST_DEVICE inline double pair_rank(VectorDistance distance, std::int64_t dot, double first,
                                          double second) {
    const double product = static_cast<double>(dot);
    if (distance == VectorDistance::euclidean) return first + second - 2 * product;
    if (first == 0 || second == 0) return 1;
    const double similarity = product / (first * second);
    return similarity < 1 ? 1 - similarity : 0;
}

/// The distance of a pair of this rank. It rises strictly with the rank: squares below 2^45 differ by 1 or
/// more, so that their roots differ by 2^-46 of themselves or more, which rounding does not hide.
FOVEA_HOST_DEVICE inline double distance_of_rank(VectorDistance distance, double rank) {
    return distance == VectorDistance::euclidean ? sqrt(rank) / max_vector_component : rank;
}

/// A vector's part of the filter: a pair may be among the nearest only if dot · factor - offset reaches the
/// query's filter_limit(), computed in single precision from a dot product that is rounded as
/// filter_limit() says.
struct FilterTerm {
    float factor = 0;
    float offset = 0;
};

FOVEA_HOST_DEVICE inline FilterTerm filter_term(VectorDistance distance, double own) {
    if (distance == VectorDistance::euclidean) return {1, static_cast<float>(own / 2)};
    return {own > 0 ? static_cast<float>(1 / own) : 0, 0};
}
/// Stands for a vector that is not there: it reaches no limit.
FOVEA_HOST_DEVICE inline FilterTerm no_filter_term() {
    return {0, HUGE_VALF};
}

/// The least and largest vector_own() of a gallery's vectors, those that are 0 left out.
struct OwnRange {
    double least = DBL_MAX;
    double largest = 0;
};

/// The limit that a pair must reach for its rank to be less than `worst`. Pairs of the same rank as `worst`
/// need not reach it: the vectors of a search come by rising index, so that they would lie behind.
///
/// Dot products may be given as high · 256² + (middle · 256 + low), by the sums of products of the bytes of
/// both vectors, where each sum and each addition is rounded to single precision. Let A = |a| + 255 √length
/// and B the same of b. The three sums, times their factors, are at most 4 AB together (Cauchy and Schwarz),
/// so the rounding of the terms, of their sums, of factor and offset, of the last multiplication and
/// addition, and of the limit itself comes to less than 16 · 2^-24 (AB + B²), for cosine less than
/// 16 · 2^-24 AB / |b|. Twice as much is allowed.
///
/// \param own of the query. \param worst rank; infinity before there are as many as wanted.
/// \param bytes 255 √length.
FOVEA_HOST_DEVICE inline float filter_limit(VectorDistance distance, double own, double worst,
                                            const OwnRange& range, double bytes) {
    constexpr double allowance = 0x1p-19;
    if (worst > DBL_MAX) return -FLT_MAX;
    if (worst == 0) return HUGE_VALF;
    if (distance == VectorDistance::euclidean) {
        const double first = sqrt(own) + bytes, second = sqrt(range.largest) + bytes;
        return static_cast<float>((own - worst) / 2 - allowance * second * (first + second));
    }
    if (own == 0) return HUGE_VALF;  // as far from all
    const double ratio = range.largest > 0 ? 1 + bytes / range.least : 1;
    return static_cast<float>((1 - worst) * own - allowance * (own + bytes) * ratio);
}

}  // namespace fovea
