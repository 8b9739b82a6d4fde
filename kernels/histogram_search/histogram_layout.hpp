#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fovea {

/// One regional histogram in a vector of counts.
struct HistogramBlock {
    std::uint32_t bins = 0;
    std::uint32_t largest = 0;  ///< no count of the block is larger (the region's pixels), at most 65,535
    std::uint32_t weight =
        256;  ///< of the block's distance, in units of 1/256; at most 65,535; 0: not compared

    friend bool operator==(const HistogramBlock&, const HistogramBlock&) = default;
};

/// How a face's vector of counts is made up: blocks one behind the other.
struct HistogramLayout {
    std::vector<HistogramBlock> blocks;
    std::size_t bins = 0;  ///< of all blocks: the length d of the vector

    friend bool operator==(const HistogramLayout&, const HistogramLayout&) = default;
};

}  // namespace fovea
