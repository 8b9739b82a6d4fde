#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/core/types.hpp"

namespace fovea {

/// How the pixels of an image become those of a window.
enum class Resampling {
    /// The mean over the area that a pixel of the window covers if the image shrinks; else linear.
    area,
    /// Linear between the four pixels around the centre, at every scale, as scans resize images.
    linear,
};

/// The grey levels of a window before they are rounded: [y][x], 0 to 255.
using WindowPlane = std::vector<double>;

/// The part of an image that a box covers, as a window. The border is continued beyond the image. Columns and
/// rows shrink and grow independently. A box of the window's size at whole pixels gives the image's own
/// levels; a whole multiple of that size gives exact means.
///
/// \param image  at least 1×1. \param box finite, with width and height above 0, anywhere: it covers [x, x +
/// w) where the pixel i covers [i, i + 1). \param window as check_window().
WindowPlane resampled(ImageView<const std::uint8_t> image, const Box& box, Size window,
                      Resampling resampling);

/// Rounded half up and limited to 0 to 255.
std::vector<std::uint8_t> rounded(const WindowPlane& plane);

/// Mirrors left and right.
void mirror(WindowPlane& plane, Size window);
void mirror(std::vector<std::uint8_t>& pixels, Size window);

}  // namespace fovea
