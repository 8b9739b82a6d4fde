#pragma once

#include <array>

#include "kernels/haar_lbp/cascade.hpp"

namespace fovea {

// The corners that features read, wherever an integral image lies: `at(x, y)` gives a corner's place in it.

/// The corners of a rectangle, whose sum is [0] - [1] - [2] + [3]. A tilted rectangle goes down to the left
/// by its height and down to the right by its width.
template <class At>
auto rect_corners(const Rect& r, bool tilted, const At& at) {
    using Corners = std::array<decltype(at(0, 0)), 4>;
    if (tilted) {
        return Corners{at(r.x, r.y), at(r.x - r.height, r.y + r.height), at(r.x + r.width, r.y + r.width),
                       at(r.x + r.width - r.height, r.y + r.width + r.height)};
    }
    return Corners{at(r.x, r.y), at(r.x + r.width, r.y), at(r.x, r.y + r.height),
                   at(r.x + r.width, r.y + r.height)};
}

/// The corners of an LBP feature's nine cells: 4×4, row by row.
template <class At>
auto grid_corners(const LbpFeature& feature, const At& at) {
    std::array<decltype(at(0, 0)), 16> corners;
    for (int i = 0; i < 16; ++i) {
        corners[static_cast<std::size_t>(i)] =
            at(feature.cell.x + i % 4 * feature.cell.width, feature.cell.y + i / 4 * feature.cell.height);
    }
    return corners;
}

}  // namespace fovea
