#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/view.hpp"

namespace fovea {

/// A component of a vector as a word of features: a signed integer in units of 1/32767. Components beyond 1
/// count as 1.
FOVEA_HOST_DEVICE inline std::uint16_t vector_word(double component) {
    constexpr double units = 32767;
    const double inside = component < -1 ? -1 : component > 1 ? 1 : component;
    return static_cast<std::uint16_t>(static_cast<std::int16_t>(lround(inside * units)));
}

/// The same of the mean of a face's component and that of its mirror image.
FOVEA_HOST_DEVICE inline std::uint16_t mean_word(double face, double mirrored) {
    return vector_word((face + mirrored) / 2);
}

}  // namespace fovea
