#pragma once

#include "lib/core/types.hpp"

namespace fovea {

/// The area of two boxes' intersection divided by the area of their union (IoU), real-valued (no "+1 pixel"),
/// in [0, 1]. A box without area has IoU 0 with every box.
double intersection_over_union(const Box& a, const Box& b);

}  // namespace fovea
