#pragma once

#include <cstddef>

#include "kernels/core/view.hpp"
#include "kernels/windows/cascade_window.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea::cuda_backend {

/// The memory for windows that pass: `capacity` places for each image.
struct FoundWindows {
    int capacity = 0;
    unsigned* counts =
        nullptr;  ///< [image]; may exceed capacity: then windows were lost and must be found again
    CascadeWindow* windows = nullptr;  ///< [image][capacity], in no order
    Rect* rects = nullptr;             ///< likewise: the windows in image pixels
    int* parents = nullptr;            ///< likewise: each its own index within the image
};

}  // namespace fovea::cuda_backend
