#pragma once

#include "kernels/core/view.hpp"

namespace fovea {

/// Rounds the mean of four pixels half up: one pixel of the next octave.
FOVEA_HOST_DEVICE inline int octave_pixel(int a, int b, int c, int d) {
    return (a + b + c + d + 2) >> 2;
}

}  // namespace fovea
