#pragma once

#include <cstddef>

#include "kernels/core/view.hpp"
#include "kernels/windows/cascade_window.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea::cuda_backend {

/// The memory for windows that pass: `capacity` places for each image.
struct FoundWindows {
    int capacity = 0;
    /// [image]: windows that passed; more than `capacity` if some were lost and must be found again.
    unsigned* counts = nullptr;
    CascadeWindow* windows = nullptr;  ///< [image][capacity], in no order
    Rect* rects = nullptr;             ///< [image][capacity]: the windows in image pixels
    int* parents = nullptr;            ///< [image][capacity]: each window's own index within the image
};

}  // namespace fovea::cuda_backend
