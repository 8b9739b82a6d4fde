#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// A frame in colour, turned for display: 8-bit planes of luma and, half as wide and high (rounded up), of
/// the two colour differences (YUV 4:2:0).
struct ColourFrame {
    int width = 0;
    int height = 0;
    bool is_full_range = false;  ///< luma is 0 to 255; else 16 to 235
    std::vector<std::uint8_t> y, u, v;

    int chroma_width() const { return (width + 1) / 2; }
    int chroma_height() const { return (height + 1) / 2; }
};

}  // namespace fovea
