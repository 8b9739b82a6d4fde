#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// An owned 8-bit grey image.
struct GreyBuffer {
    Size size;
    /// Row by row, without padding.
    std::vector<std::uint8_t> pixels;

    ImageView<const std::uint8_t> view() const {
        return {pixels.data(), size.width, size.height, size.width};
    }
};

/// The next octave: means of 2×2 pixels, as octave_pixel() rounds them; an odd last row or column is dropped.
GreyBuffer halve(ImageView<const std::uint8_t> image);

/// halve() by vector instructions chosen at run time (Highway); equal in every bit.
GreyBuffer halve_simd(ImageView<const std::uint8_t> image);

}  // namespace fovea
