#pragma once

#include <cmath>

#include "kernels/core/view.hpp"

namespace fovea {

/// The source pixels that a destination coordinate samples: `offset` with weight 256 - `weight`, `next` with
/// weight `weight` (0...256). Beyond the centre of an outermost pixel, both are this pixel and `weight` is 0.
struct LinearTap {
    int offset;
    int next;
    int weight;
};

/// The tap of destination coordinate `index`. \param scale as resize_scale() gives it.
FOVEA_HOST_DEVICE inline LinearTap linear_tap(int index, double scale, int source_size) {
    const double position = scale * (index + 0.5) - 0.5;
    const double whole = floor(position);
    const int offset = static_cast<int>(whole);
    if (offset < 0 || source_size <= 1) return {0, 0, 0};
    if (offset >= source_size - 1) return {source_size - 1, source_size - 1, 0};
    return {offset, offset + 1, static_cast<int>(rint((position - whole) * 256))};
}

/// Interpolates two neighbours of a row exactly: 8 fractional bits, 0...65280.
FOVEA_HOST_DEVICE inline int blend_columns(int left, int right, int weight) {
    return left * (256 - weight) + right * weight;
}

/// Interpolates two results of blend_columns() vertically and rounds (half up) to a grey level.
FOVEA_HOST_DEVICE inline int blend_rows(int top, int bottom, int weight) {
    return (top * (256 - weight) + bottom * weight + (1 << 15)) >> 16;
}

}  // namespace fovea
