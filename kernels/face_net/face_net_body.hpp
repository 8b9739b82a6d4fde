#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/view.hpp"

// The arithmetic of single values of a face network, the same on the CPU and on a GPU. No product may be
// fused with an addition into one rounding.

namespace fovea {

FOVEA_HOST_DEVICE inline int clamped(int value, int least, int most) {
    return value < least ? least : value > most ? most : value;
}

/// The result of a layer before it becomes a byte: rint(sum · scale), ties to even.
/// \param sum below 2^24 in magnitude. \param scale of a FaceNetLayer
FOVEA_HOST_DEVICE inline int rounded_result(std::int32_t sum, float scale) {
    return static_cast<int>(rintf(static_cast<float>(sum) * scale));
}

/// The result of a pointwise layer.
FOVEA_HOST_DEVICE inline std::int8_t signed_result(std::int32_t sum, float scale) {
    return static_cast<std::int8_t>(clamped(rounded_result(sum, scale), -128, 127));
}

/// The result of a stem or of a depthwise layer.
FOVEA_HOST_DEVICE inline std::uint8_t relu_result(std::int32_t sum, float scale) {
    return static_cast<std::uint8_t>(clamped(rounded_result(sum, scale), 0, 255));
}

/// The result of a FaceNetSum before it becomes a byte: two products, then one addition.
FOVEA_HOST_DEVICE inline int rounded_sum(std::uint8_t fine, float fine_scale, std::uint8_t coarse,
                                         float coarse_scale) {
    const float a = static_cast<float>(fine) * fine_scale;
    const float b = static_cast<float>(coarse) * coarse_scale;
    return static_cast<int>(rintf(a + b));
}

FOVEA_HOST_DEVICE inline std::uint8_t sum_result(std::uint8_t fine, float fine_scale, std::uint8_t coarse,
                                                 float coarse_scale) {
    return static_cast<std::uint8_t>(clamped(rounded_sum(fine, fine_scale, coarse, coarse_scale), 0, 255));
}

}  // namespace fovea
