#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/histogram_search/histogram_layout.hpp"
#include "kernels/histogram_search/histogram_terms_body.hpp"

namespace fovea {

/// Packed bins of one weight, whose terms add up to less than 2^32.
struct SearchSegment {
    std::uint32_t first = 0;  ///< packed bin, a multiple of the plan's alignment
    std::uint32_t bins = 0;   ///< a multiple of the plan's alignment
    std::uint32_t weight = 0;

    friend bool operator==(const SearchSegment&, const SearchSegment&) = default;
};

/// How vectors are kept for a search: bins of weight 0 are left out, and the others are ordered by weight,
/// since their blocks do not matter otherwise, in segments that are filled up with empty bins.
struct SearchPlan {
    HistogramLayout layout;
    HistogramDistance distance = HistogramDistance::chi_square;
    HistogramTerm term = HistogramTerm::harmonic;
    int bits = 0;                       ///< of harmonic terms: chi_square_bits()
    bool narrow = false;                ///< counts fit 8 bits
    std::uint32_t largest = 0;          ///< of all blocks
    std::vector<std::uint32_t> source;  ///< [packed bin]: the layout's bin, or no_bin
    std::vector<SearchSegment> segments;

    static constexpr std::uint32_t no_bin = ~std::uint32_t{0};
};

/// Plans how vectors are kept. \param alignment of segments, in bins. \param max_bins of a segment, a
/// multiple of `alignment`. \throws std::invalid_argument as check_histogram_layout.
SearchPlan make_search_plan(HistogramLayout layout, HistogramDistance distance, std::uint32_t alignment,
                            std::uint32_t max_bins);

/// A vector's own sum, Σ w Σ own_term. \param counts [layout.bins].
std::int64_t self_term(const SearchPlan& plan, const std::uint16_t* counts);

/// Checks that no count is larger than its block's largest. \param counts [count][layout.bins].
/// \param what names a vector in the message: "gallery vector". \param first number of the first vector.
/// \throws std::invalid_argument, which names the vector and the block.
void check_counts(const HistogramLayout& layout, const std::uint16_t* counts, std::size_t count,
                  const char* what, std::size_t first);

}  // namespace fovea
