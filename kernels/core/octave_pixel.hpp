#pragma once

#include "kernels/core/view.hpp"

namespace fovea {

/// One pixel of the next octave: the mean of four pixels, rounded half up.
FOVEA_HOST_DEVICE inline int octave_pixel(int a, int b, int c, int d) {
    return (a + b + c + d + 2) >> 2;
}

}  // namespace fovea
