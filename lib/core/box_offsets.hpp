#pragma once

#include "lib/core/types.hpp"

namespace fovea {

/// Converts boxes of one convention to another: each edge moves by its offset, in units of the box's width
/// (left, right) or height (top, bottom); positive is to the right and down.
struct BoxOffsets {
    double left = 0;
    double right = 0;
    double top = 0;
    double bottom = 0;

    friend bool operator==(const BoxOffsets&, const BoxOffsets&) = default;
};

inline Box moved_box(const Box& box, const BoxOffsets& offsets) {
    return {box.x + offsets.left * box.w, box.y + offsets.top * box.h,
            box.w * (1 + offsets.right - offsets.left), box.h * (1 + offsets.bottom - offsets.top)};
}

}  // namespace fovea
