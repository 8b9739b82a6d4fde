#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// An 8-bit grey image in host memory, rows without gaps.
struct GreyImage {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;  ///< height × width, row-major

    bool empty() const { return width == 0 || height == 0; }
    ImageView<const std::uint8_t> view() const { return {pixels.data(), width, height, width}; }
};

}  // namespace fovea
