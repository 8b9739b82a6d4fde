#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/view.hpp"

// The arithmetic of single values of a face network: the same on the CPU and on a GPU. No product may be
// contracted with a sum into one rounding.

namespace fovea {

/// clamp(rint(value), least, most), ties to even. \param value within the range of 32-bit integers.
FOVEA_HOST_DEVICE inline int round_and_clamp(float value, int least, int most) {
    const int rounded = static_cast<int>(rintf(value));
    return rounded < least ? least : rounded > most ? most : rounded;
}

/// The result of a pointwise layer. \param sum below 2^24 in magnitude.
FOVEA_HOST_DEVICE inline std::int8_t signed_result(std::int32_t sum, float scale) {
    return static_cast<std::int8_t>(round_and_clamp(static_cast<float>(sum) * scale, -128, 127));
}

/// The result of a stem or of a depthwise layer. \param sum below 2^24 in magnitude.
FOVEA_HOST_DEVICE inline std::uint8_t relu_result(std::int32_t sum, float scale) {
    return static_cast<std::uint8_t>(round_and_clamp(static_cast<float>(sum) * scale, 0, 255));
}

/// The result of a FaceNetSum: two products, then one addition.
FOVEA_HOST_DEVICE inline std::uint8_t sum_result(std::uint8_t fine, float fine_scale, std::uint8_t coarse,
                                                 float coarse_scale) {
    const float a = static_cast<float>(fine) * fine_scale;
    const float b = static_cast<float>(coarse) * coarse_scale;
    return static_cast<std::uint8_t>(round_and_clamp(a + b, 0, 255));
}

}  // namespace fovea
