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
    std::uint32_t bins = 0;   ///< likewise
    std::uint32_t weight = 0;

    friend bool operator==(const SearchSegment&, const SearchSegment&) = default;
};

/// How vectors are kept for a search: bins of weight 0 left out, the others ordered by weight (which block a
/// bin belongs to means nothing beyond that), in segments that end with empty bins where their length asks
/// for it.
struct SearchPlan {
    HistogramLayout layout;
    HistogramDistance distance = HistogramDistance::chi_square;
    HistogramTerm term = HistogramTerm::harmonic;
    int bits = 0;         ///< of harmonic terms
    bool narrow = false;  ///< counts fit 8 bits
    std::uint32_t largest = 0;
    std::vector<std::uint32_t> source;  ///< [packed bin]: the layout's bin, or no_bin
    std::vector<SearchSegment> segments;

    static constexpr std::uint32_t no_bin = ~std::uint32_t{0};
};

/// \param alignment of segments, bins. \param max_bins of a segment, a multiple of it.
/// \throws std::invalid_argument as check_histogram_layout.
SearchPlan make_search_plan(HistogramLayout layout, HistogramDistance distance, std::uint32_t alignment,
                            std::uint32_t max_bins);

/// Σ w Σ own_term of a vector of layout.bins counts.
std::int64_t self_term(const SearchPlan& plan, const std::uint16_t* counts);

/// \param counts [count][layout.bins]. \param what for the message, "gallery vector". \param first number of
/// the first.
/// \throws std::invalid_argument naming the vector and the block if a count is larger than its block's
/// largest.
void check_counts(const HistogramLayout& layout, const std::uint16_t* counts, std::size_t count,
                  const char* what, std::size_t first);

}  // namespace fovea
