#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/view.hpp"

namespace fovea {

// The arithmetic of one window, as OpenCV 4.6 does it, wherever its integral image lies: `load(corner)` gives
// the element at an offset from the window's top left corner.

template <class Offset, class Load>
FOVEA_HOST_DEVICE inline std::int32_t rect_sum(const Offset* corners, Load load) {
    return load(corners[0]) - load(corners[1]) - load(corners[2]) + load(corners[3]);
}

/// The contrast of a window's inner rectangle (the window less a border of one pixel), with the standard
/// deviation σ of its grey values. Windows that are not valid are not evaluated.
struct WindowContrast {
    float inverse_deviation = 0;  ///< 1 / (area · σ): features are multiplied by it; 0 if σ is 0
    bool valid = false;           ///< σ > 10 grey levels
};

/// 1 / √variance as float(1.0 / sqrt(variance)) rounds it. \param variance from 1 to 2^64.
FOVEA_HOST_DEVICE inline float inverse_root(double variance) {
#if defined(__CUDA_ARCH__)
    // A root and a quotient take long on a GPU. rsqrt() differs from them by a few units of the last of a
    // double's 53 bits. Both round to the same float, except next to the middle between two floats.
    const double approximate = rsqrt(variance);
    constexpr std::int32_t middle = 1 << 28, nearness = 16;
    const std::int32_t below = __double2loint(approximate) & (2 * middle - 1);  // the bits that a float lacks
    if (below < middle - nearness || below > middle + nearness) return static_cast<float>(approximate);
#endif
    return static_cast<float>(1.0 / sqrt(variance));
}

/// \param sum, squared the sums of the inner rectangle's pixels and of their squares (modulo 2^32).
FOVEA_HOST_DEVICE inline WindowContrast window_contrast(std::int32_t sum, std::uint32_t squared,
                                                        double area) {
    const double variance = area * squared - static_cast<double>(sum) * sum;
    if (!(variance > 0)) return {};
    const float inverse = inverse_root(variance);
    return {inverse, area * inverse < 0.1};
}

/// A Haar feature's value before it is multiplied by the inverse deviation. \param corners four a rectangle.
template <class Offset, class Load>
FOVEA_HOST_DEVICE inline float haar_value(const Offset* corners, const float* weights, bool has_third,
                                          Load load) {
    float value = weights[0] * static_cast<float>(rect_sum(corners, load)) +
                  weights[1] * static_cast<float>(rect_sum(corners + 4, load));
    if (has_third) value += weights[2] * static_cast<float>(rect_sum(corners + 8, load));
    return value;
}

/// The multi-block LBP code: one bit for each outer cell whose sum is not below the centre's, clockwise from
/// the top left, most significant bit first. \param corners those of the 4×4 grid, row by row.
template <class Offset, class Load>
FOVEA_HOST_DEVICE inline int lbp_code(const Offset* corners, Load load) {
    std::int32_t grid[16];
    for (int i = 0; i < 16; ++i) grid[i] = load(corners[i]);
    const std::int32_t centre = grid[5] - grid[6] - grid[9] + grid[10];
    std::uint32_t below = 0;
    // The sign of the difference to the centre is shifted in. The difference cannot overflow, since sums of a
    // window are below 2^29. A GPU shifts by one instruction.
    const auto append = [&](int row, int column) {
        const std::int32_t* corner = grid + 4 * row + column;
        const std::int32_t difference = corner[0] - corner[1] - corner[4] + (corner[5] - centre);
#if defined(__CUDA_ARCH__)
        below = __funnelshift_l(static_cast<std::uint32_t>(difference), below, 1);
#else
        below = below << 1 | static_cast<std::uint32_t>(difference) >> 31;
#endif
    };
    append(0, 0);
    append(0, 1);
    append(0, 2);
    append(1, 2);
    append(2, 2);
    append(2, 1);
    append(2, 0);
    append(1, 0);
    return static_cast<int>(~below & 0xFF);
}

/// True if the code's bit is set in the 256 bits of `subset`.
template <class Word>
FOVEA_HOST_DEVICE inline bool lbp_goes_left(const Word* subset, int code) {
    return (static_cast<std::uint32_t>(subset[code >> 5]) >> (code & 31) & 1) != 0;
}

/// The leaf that a window reaches. \param nodes of the tree. \param goes_left decides at a node.
template <class Node, class GoesLeft>
FOVEA_HOST_DEVICE inline float tree_leaf(const Node* nodes, GoesLeft goes_left) {
    int index = 0;
    for (;;) {
        const Node& node = nodes[index];
        const bool left = goes_left(node);
        index = left ? node.left : node.right;
        if (index <= 0) return left ? node.left_leaf : node.right_leaf;
    }
}

}  // namespace fovea
