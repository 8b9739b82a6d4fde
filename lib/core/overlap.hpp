#pragma once

#include <cstddef>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// The box that two boxes share; its area is 0 if they share none.
Box shared_box(const Box& a, const Box& b);

/// The area of two boxes' intersection divided by the area of their union (IoU), real-valued (no "+1 pixel"),
/// in [0, 1]. A box without area has IoU 0 with every box.
double intersection_over_union(const Box& a, const Box& b);

/// A box of one list and a box of another, by their places there.
struct OverlappingPair {
    double overlap = 0;
    std::size_t first = 0;
    std::size_t second = 0;
};

/// Keeps pairs that share no box: by falling overlap, of equal ones in the order given, every pair whose two
/// boxes no pair before it has. \return those that are kept, in that order.
std::vector<OverlappingPair> pair_greedily(std::vector<OverlappingPair> pairs);

}  // namespace fovea
