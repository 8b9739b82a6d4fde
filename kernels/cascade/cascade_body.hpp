#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/cascade/packed.hpp"
#include "kernels/view.hpp"

namespace fovea {

// The arithmetic of one window, as OpenCV 4.6 does it; `at` is the window's top left corner in the integral
// image of the layout that the cascade was packed for. The CPU's scan does the same for a vector of windows
// at a time (scan_simd.cpp) and is held against these functions in the tests.

FOVEA_HOST_DEVICE inline std::int32_t rect_sum(const std::int32_t* at, const std::int32_t* corners) {
    return at[corners[0]] - at[corners[1]] - at[corners[2]] + at[corners[3]];
}

/// 1/σ of the window's inner rectangle, and whether σ > 10 grey levels: windows of less contrast are not
/// evaluated.
struct WindowContrast {
    float inverse_deviation = 0;
    bool valid = false;
};

FOVEA_HOST_DEVICE inline WindowContrast window_contrast(std::int32_t sum, std::uint32_t squared,
                                                        double area) {
    const double variance = area * squared - static_cast<double>(sum) * sum;
    if (!(variance > 0)) return {};
    const float inverse = static_cast<float>(1.0 / sqrt(variance));
    return {inverse, area * inverse < 0.1};
}

FOVEA_HOST_DEVICE inline bool goes_left(const PackedCascade::HaarNode& node, const std::int32_t* at,
                                        float inverse_deviation) {
    float value = node.weights[0] * static_cast<float>(rect_sum(at, node.corners[0].data())) +
                  node.weights[1] * static_cast<float>(rect_sum(at, node.corners[1].data()));
    if (node.rects == 3) value += node.weights[2] * static_cast<float>(rect_sum(at, node.corners[2].data()));
    return value * inverse_deviation < node.threshold;
}

/// The multi-block LBP code: one bit for each outer cell whose sum is not below the centre's, clockwise from
/// the top left, most significant bit first.
FOVEA_HOST_DEVICE inline int lbp_code(const PackedCascade::LbpNode& node, const std::int32_t* at) {
    const auto cell = [&](int row, int column) {
        const std::int32_t* corner = node.corners.data() + 4 * row + column;
        return at[corner[0]] - at[corner[1]] - at[corner[4]] + at[corner[5]];
    };
    const std::int32_t centre = cell(1, 1);
    return (cell(0, 0) >= centre) << 7 | (cell(0, 1) >= centre) << 6 | (cell(0, 2) >= centre) << 5 |
           (cell(1, 2) >= centre) << 4 | (cell(2, 2) >= centre) << 3 | (cell(2, 1) >= centre) << 2 |
           (cell(2, 0) >= centre) << 1 | (cell(1, 0) >= centre);
}

FOVEA_HOST_DEVICE inline bool goes_left(const PackedCascade::LbpNode& node, const std::int32_t* at,
                                        float /*inverse_deviation*/) {
    const int code = lbp_code(node, at);
    return (static_cast<std::uint32_t>(node.subset[code >> 5]) >> (code & 31) & 1) != 0;
}

/// The leaf that a window reaches; `nodes` are the tree's.
template <class Node>
FOVEA_HOST_DEVICE inline float tree_leaf(const Node* nodes, const std::int32_t* at, float inverse_deviation) {
    int index = 0;
    for (;;) {
        const Node& node = nodes[index];
        const bool left = goes_left(node, at, inverse_deviation);
        index = left ? node.left : node.right;
        if (index <= 0) return left ? node.left_leaf : node.right_leaf;
    }
}

/// The sum of a stage's leaves, in double, in the order of the trees. The window passes if it is not below
/// the stage's threshold.
template <class Node>
FOVEA_HOST_DEVICE inline double stage_sum(const PackedCascade::Tree* trees, int tree_count, const Node* nodes,
                                          const std::int32_t* at, float inverse_deviation) {
    double sum = 0;
    for (int i = 0; i < tree_count; ++i) sum += tree_leaf(nodes + trees[i].first_node, at, inverse_deviation);
    return sum;
}

}  // namespace fovea
