#pragma once

#include <cstdint>

#include "kernels/core/view.hpp"

namespace fovea {

/// Makes rows [first, last) of the level above `from` (OpenCV's pyrDown), by vector instructions chosen at
/// run time (Highway); equal in every bit for all instruction sets.
/// \param from readable beyond its edges as FlowPyramid::level(). \param to half its size, rounded up.
void halve_rows(const ImageView<const std::uint8_t>& from, const ImageView<std::uint8_t>& to, int first,
                int last);

}  // namespace fovea
