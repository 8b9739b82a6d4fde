#pragma once

#include <cstdint>

#include "kernels/core/view.hpp"

namespace fovea {

/// Computes mct_code() of the low halves and of the high halves of nine words, side by side. Each sum is at
/// most 4080, the sum of a block of 4×4 pixels.
///
/// 9 · sum lies within 8 · 4080 = 32640 of the total, so that total - 9 · sum + 2^15 fits into 16 bits
/// whatever the other half is, and its top bit is the negation of the code's bit.
FOVEA_HOST_DEVICE inline std::uint32_t mct_code_pair(const std::uint32_t (&sums)[9]) {
    std::uint32_t biased_total = 0x80008000U;
    for (int k = 0; k < 9; ++k) biased_total += sums[k];
    std::uint32_t negated = 0;
    for (int k = 0; k < 9; ++k) {
        negated |= ((biased_total - 9 * sums[k]) >> (7 + k)) & (0x01000100U >> k);
    }
    return negated ^ 0x01FF01FFU;
}

/// Computes contrast_code() of the low halves and of the high halves of nine words, side by side.
FOVEA_HOST_DEVICE inline std::uint32_t contrast_pair(const std::uint32_t (&sums)[9]) {
    std::uint32_t least[2] = {sums[0] & 0xFFFFU, sums[0] >> 16};
    std::uint32_t most[2] = {least[0], least[1]};
    for (int k = 1; k < 9; ++k) {
        const std::uint32_t halves[2] = {sums[k] & 0xFFFFU, sums[k] >> 16};
        for (int half = 0; half < 2; ++half) {
            least[half] = halves[half] < least[half] ? halves[half] : least[half];
            most[half] = halves[half] > most[half] ? halves[half] : most[half];
        }
    }
    return (most[0] - least[0]) >> 3 | (most[1] - least[1]) >> 3 << 16;
}

}  // namespace fovea
