#pragma once

#include "lib/core/types.hpp"

namespace fovea {

/// Area of the intersection over area of the union of two boxes, real-valued (no "+1 pixel"), in [0, 1].
/// A box without area has IoU 0 with everything.
double intersection_over_union(const Box& a, const Box& b);

}  // namespace fovea
