#pragma once

#include <cstdint>

#include "kernels/core/view.hpp"

namespace fovea {

/// Rows [first, last) of the level above `from` (OpenCV's pyrDown), in vectors of the instruction set chosen
/// at run time (Highway): equal in every bit for all of them.
/// \param from can be read as FlowPyramid::level says. \param to half its size, rounded up.
void halve_rows(const ImageView<const std::uint8_t>& from, const ImageView<std::uint8_t>& to, int first,
                int last);

}  // namespace fovea
