#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/view.hpp"

namespace fovea {

/// True if all four edges of two windows differ by at most eps · (min(w1, w2) + min(h1, h2)) / 2.
FOVEA_HOST_DEVICE inline bool similar_rects(const Rect& a, const Rect& b, double eps) {
    const int width = a.width < b.width ? a.width : b.width;
    const int height = a.height < b.height ? a.height : b.height;
    const double delta = eps * (width + height) * 0.5;
    const auto near = [delta](int p, int q) { return (p < q ? q - p : p - q) <= delta; };
    return near(a.x, b.x) && near(a.y, b.y) && near(a.x + a.width, b.x + b.width) &&
           near(a.y + a.height, b.y + b.height);
}

/// One coordinate of a class's mean, rounded half to even. \param scale 1 / count in float.
FOVEA_HOST_DEVICE inline int group_mean(std::int64_t total, float scale) {
    return static_cast<int>(rintf(static_cast<float>(total) * scale));
}

/// `outer` grown by eps: a group whose rectangle lies in it may be dropped in favour of `outer`.
FOVEA_HOST_DEVICE inline Rect nesting_reach(const Rect& outer, double eps) {
    const int dx = static_cast<int>(rint(outer.width * eps));
    const int dy = static_cast<int>(rint(outer.height * eps));
    return {outer.x - dx, outer.y - dy, outer.width + 2 * dx, outer.height + 2 * dy};
}

/// True if group `inner` is dropped in favour of `outer`.
FOVEA_HOST_DEVICE inline bool nested_in(const Rect& inner, int inner_neighbors, const Rect& outer,
                                        int outer_neighbors, double eps) {
    const Rect reach = nesting_reach(outer, eps);
    const int floor_neighbors = inner_neighbors > 3 ? inner_neighbors : 3;
    return inner.x >= reach.x && inner.y >= reach.y && inner.x + inner.width <= reach.x + reach.width &&
           inner.y + inner.height <= reach.y + reach.height &&
           (outer_neighbors > floor_neighbors || inner_neighbors < 3);
}

}  // namespace fovea
