#pragma once

#include <bit>
#include <cstdint>

#include "kernels/core/view.hpp"

// The arithmetic of local binary patterns, host and device alike.
namespace fovea {

/// The number of bins of uniform patterns with P points: P(P-1)+2 patterns and one bin for all others.
FOVEA_HOST_DEVICE constexpr std::uint32_t uniform_bins(int points) {
    return static_cast<std::uint32_t>(points * (points - 1) + 3);
}

/// The bin of a code among uniform patterns, equal to LbpPlan::labels, without a table.
///
/// A uniform code whose highest bit is 0 is one run of ones, from bit l to bit h, or 0. There are
/// 1 + h(h + 1)/2 such codes below 2^h, and of two codes of the same h the one of higher l is smaller.
/// Codes whose highest bit is 1 are the complements of these, in reverse order.
FOVEA_HOST_DEVICE inline std::uint32_t uniform_label(std::uint32_t code, int points) {
    const std::uint32_t all = (1U << points) - 1;
    const bool highest = (code >> (points - 1)) != 0;
    const std::uint32_t run = highest ? code ^ all : code;
    const std::uint32_t lowest_bit = run & (0U - run);
    if ((run & (run + lowest_bit)) != 0) return uniform_bins(points) - 1;
    if (run == 0) return highest ? uniform_bins(points) - 2 : 0;
#if defined(__CUDA_ARCH__)
    const int h = 31 - __clz(static_cast<int>(run)), l = 31 - __clz(static_cast<int>(lowest_bit));
#else
    const int h = std::bit_width(run) - 1, l = std::bit_width(lowest_bit) - 1;
#endif
    const auto rank = static_cast<std::uint32_t>(1 + h * (h + 3) / 2 - l);
    return highest ? uniform_bins(points) - 2 - rank : rank;
}

}  // namespace fovea
