#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/haar_lbp/cascade.hpp"

namespace fovea {

/// A Haar feature whose weights are small integers, so that its value is an exact integer, below 2^24 also
/// in its parts: float arithmetic on it is exact in any order. Corners that its rectangles share are merged.
struct MergedPattern {
    enum Kind : std::uint8_t {
        edge,  ///< two halves: 6 corners, c0 + c1 - c2 - c3 + 2 (c4 - c5)
        line,  ///< a rectangle inside another: 8 corners, weight · (c4 - c5 - c6 + c7) - (c0 - c1 - c2 + c3)
        quad,  ///< a chequerboard: 9 corners, weight · (c0 + c1 + c2 + c3 - 2 (c4 + c5 + c6 + c7) + 4 c8)
    };

    Kind kind = edge;
    int weight = 1;
    std::vector<std::pair<int, int>> corners;  ///< x, y
};

/// Nothing if the feature is tilted, or of no such kind.
std::optional<MergedPattern> merged_pattern(const HaarFeature& feature);

/// The patterns of a Haar cascade's features, in their order; none unless each feature has one, and none for
/// LBP. This takes longer than the scan of a small image, so scans are given the result.
std::vector<MergedPattern> merged_patterns(const Cascade& cascade);

}  // namespace fovea
