#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fovea {

/// One regional histogram in a vector of counts.
struct HistogramBlock {
    std::uint32_t bins = 0;
    /// No count of the block is larger (the region's pixels); at most 65,535.
    std::uint32_t largest = 0;
    /// The weight of the block's distance, in units of 1/256, at most 65,535; 0 leaves the block out.
    std::uint32_t weight = 256;

    friend bool operator==(const HistogramBlock&, const HistogramBlock&) = default;
};

/// The layout of a face's vector of counts: blocks one behind the other.
struct HistogramLayout {
    std::vector<HistogramBlock> blocks;
    std::size_t bins = 0;  ///< of all blocks: the length of the vector

    friend bool operator==(const HistogramLayout&, const HistogramLayout&) = default;
};

}  // namespace fovea
