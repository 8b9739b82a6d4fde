#pragma once

#include <cstdint>

#include "kernels/core/view.hpp"

namespace fovea {

/// Rounds a sample of `bits` bits (8 to 16) to 8 bits.
FOVEA_HOST_DEVICE constexpr unsigned luma_of_8_bits(unsigned sample, int bits) {
    if (bits == 8) return sample;
    const unsigned rounded = (sample + (1U << (bits - 9))) >> (bits - 8);
    return rounded > 255 ? 255 : rounded;
}

/// Expands an 8-bit sample of limited range to 0 to 255. The product divides by 219, exactly for all samples.
FOVEA_HOST_DEVICE constexpr unsigned expanded_luma(unsigned sample) {
    const unsigned above_black = sample < 16 ? 0 : sample > 235 ? 219 : sample - 16;
    return ((above_black * 255 + 109) * 38305U) >> 23;
}

FOVEA_HOST_DEVICE constexpr std::uint8_t grey_of_luma(unsigned sample, int bits, bool is_full_range) {
    const unsigned rounded = luma_of_8_bits(sample, bits);
    return static_cast<std::uint8_t>(is_full_range ? rounded : expanded_luma(rounded));
}

}  // namespace fovea
