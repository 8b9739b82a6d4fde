#pragma once

#include <cstdint>

#include "kernels/haar_lbp/packed.hpp"
#include "kernels/haar_lbp/window_body.hpp"

namespace fovea {

// The evaluation of one window of a PackedCascade; `at` is the window's top left corner in an integral image
// of the layout that the cascade was packed for. The CPU's scan evaluates a vector of windows at a time
// (scan_simd.cpp), the GPU's scan a tile (gpu_tile_scan.cuh); tests compare both with these functions.

inline std::int32_t rect_sum_at(const std::int32_t* at, const std::int32_t* corners) {
    return rect_sum(corners, [at](std::int32_t corner) { return at[corner]; });
}

inline bool goes_left(const PackedCascade::HaarNode& node, const std::int32_t* at, float inverse_deviation) {
    const float value = haar_value(node.corners[0].data(), node.weights.data(), node.rects == 3,
                                   [at](std::int32_t corner) { return at[corner]; });
    return value * inverse_deviation < node.threshold;
}

inline bool goes_left(const PackedCascade::LbpNode& node, const std::int32_t* at,
                      float /*inverse_deviation*/) {
    return lbp_goes_left(node.subset.data(),
                         lbp_code(node.corners.data(), [at](std::int32_t corner) { return at[corner]; }));
}

/// The sum of a stage's leaves, in double, in the order of the trees. The window passes if it is not below
/// the stage's threshold.
template <class Node>
inline double stage_sum(const PackedCascade::Tree* trees, int tree_count, const Node* nodes,
                        const std::int32_t* at, float inverse_deviation) {
    double sum = 0;
    for (int i = 0; i < tree_count; ++i) {
        sum += tree_leaf(nodes + trees[i].first_node,
                         [&](const Node& node) { return goes_left(node, at, inverse_deviation); });
    }
    return sum;
}

}  // namespace fovea
