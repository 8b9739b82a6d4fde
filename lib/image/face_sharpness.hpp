#pragma once

#include <cstdint>
#include <optional>

#include "kernels/core/view.hpp"
#include "kernels/face_sharpness/face_sharpness.hpp"
#include "lib/core/types.hpp"

namespace fovea {

/// The pixels of an image in a box, whose edges are rounded to whole pixels; nothing if there are none.
std::optional<Rect> pixels_of(const Box& box, Size image);

/// The sharpness of a face in the part of its box that lies in the image: laplacian_variance(), at least 0;
/// small for blurred faces, whatever their size, and for dark ones. \return nothing if that part is empty.
std::optional<double> face_sharpness(const ImageView<const std::uint8_t>& image, const Box& box);

}  // namespace fovea
