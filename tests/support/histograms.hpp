#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/histogram_search/histogram_distance_body.hpp"
#include "kernels/histogram_search/histogram_layout.hpp"

namespace fovea::test {

HistogramLayout layout_of(std::vector<HistogramBlock> blocks);
/// `blocks` blocks alike.
HistogramLayout even_layout(std::size_t blocks, HistogramBlock block);

inline const std::vector<HistogramDistance> all_histogram_distances{
    HistogramDistance::chi_square, HistogramDistance::intersection, HistogramDistance::l1,
    HistogramDistance::l2, HistogramDistance::cosine};

/// Layouts about everything that kernels divide vectors by: 8 and 16 bits, weights, segments, padding.
struct NamedLayout {
    std::string name;
    HistogramLayout layout;
};
std::vector<NamedLayout> edge_layouts();

enum class CountKind {
    any,     ///< all counts up to the block's largest
    sparse,  ///< most are 0, the others small
    extreme  ///< 0 or the largest
};
/// Vectors one behind the other, of which about a fifth repeat an earlier one.
std::vector<std::uint16_t> random_counts(const HistogramLayout& layout, std::size_t count, CountKind kind,
                                         std::uint32_t seed);

}  // namespace fovea::test
