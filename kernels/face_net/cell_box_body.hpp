#pragma once

#include <cmath>

#include "kernels/core/view.hpp"
#include "kernels/face_net/face_net.hpp"

// The box that a cell's numbers mean, host and device alike.
namespace fovea {

/// Logarithms of sizes are at most this, in magnitude.
constexpr double face_net_max_log = 4;

/// A box, pixels of its image: its left, top, width and height.
struct CellBox {
    double x = 0, y = 0, w = 0, h = 0;

    friend bool operator==(const CellBox&, const CellBox&) = default;
};

/// The box of a cell of stride s. Its centre is ((column + 0.5 + dx) · s, (row + 0.5 + dy) · s), its width
/// 2 · s · exp(log width), its height 2 · s · exp(log height); logarithms are clamped to ±face_net_max_log.
FOVEA_HOST_DEVICE inline CellBox box_of_cell(const NetCell& cell) {
    const double stride = face_net_stride(cell.level);
    const auto edge = [&](float logarithm) {
        const double value = double{logarithm};
        return 2 * stride *
               std::exp(value < -face_net_max_log  ? -face_net_max_log
                        : face_net_max_log < value ? face_net_max_log
                                                   : value);
    };
    const double width = edge(cell.log_width), height = edge(cell.log_height);
    const double x = (cell.column + 0.5) * stride + double{cell.dx} * stride;
    const double y = (cell.row + 0.5) * stride + double{cell.dy} * stride;
    return {x - width / 2, y - height / 2, width, height};
}

}  // namespace fovea
