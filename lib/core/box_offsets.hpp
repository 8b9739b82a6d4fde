#pragma once

#include "lib/core/types.hpp"

namespace fovea {

/// From one convention of boxes to another: how far the edges lie from those of a box, in units of its width
/// (left, right) and height (top, bottom); positive to the right and down.
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
