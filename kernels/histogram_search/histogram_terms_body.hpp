#pragma once

#include <cstdint>

#include "kernels/core/view.hpp"
#include "kernels/histogram_search/histogram_distance_body.hpp"

// Searches sum terms of two counts that are 0 where one of the counts is 0, so that empty bins of either
// vector can be skipped. Each distance follows from such a sum and from a sum of each vector alone, its own
// sum, which is computed once: |a - b| = a + b - 2 min(a, b), and (a - b)² = a² + b² - 2ab; chi_square_term()
// says it for chi-square.
namespace fovea {

/// The term of two counts a and b that a search sums.
enum class HistogramTerm {
    harmonic,  ///< chi_square_term()
    minimum,   ///< min(a, b)
    product,   ///< ab
};

FOVEA_HOST_DEVICE constexpr HistogramTerm term_of(HistogramDistance distance) {
    switch (distance) {
        case HistogramDistance::chi_square:
            return HistogramTerm::harmonic;
        case HistogramDistance::intersection:
        case HistogramDistance::l1:
            return HistogramTerm::minimum;
        case HistogramDistance::l2:
        case HistogramDistance::cosine:
            break;
    }
    return HistogramTerm::product;
}

/// The part of a bin in its vector's own sum, without its weight: the count, or its square for products.
FOVEA_HOST_DEVICE constexpr std::uint64_t own_term(HistogramTerm term, std::uint32_t count) {
    return term == HistogramTerm::product ? std::uint64_t{count} * count : count;
}

/// finished_distance() of two vectors. \param terms Σ w Σ terms of both.
/// \param first, second the vectors' own sums, Σ w Σ own_term.
FOVEA_HOST_DEVICE inline double distance_of_terms(HistogramDistance distance, int bits, std::int64_t terms,
                                                  std::int64_t first, std::int64_t second) {
    switch (distance) {
        case HistogramDistance::chi_square:
            return finished_distance(distance, bits, (first + second) * (std::int64_t{1} << bits) - terms, 0,
                                     0);
        case HistogramDistance::intersection:
        case HistogramDistance::l1:
        case HistogramDistance::l2:
            return finished_distance(distance, bits, first + second - 2 * terms, 0, 0);
        case HistogramDistance::cosine:
            break;
    }
    return finished_distance(distance, bits, terms, first, second);
}

}  // namespace fovea
