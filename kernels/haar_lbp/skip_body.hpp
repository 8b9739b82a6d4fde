#pragma once

#include <cstdint>

#include "kernels/core/view.hpp"

namespace fovea {

/// Which of 64 windows in a row are skipped: a window after a visited one that is rejected. `state` is 1 if
/// the first window is skipped, and becomes 1 if the one after the last is. The bytes of visited_windows, 64
/// bits at once and complemented.
///
/// Within a run of rejected windows every second one is skipped. Adding the runs' first bits to the runs
/// makes the carries mark the runs' ends, which tells odd from even positions for all runs at once.
///
/// \param rejected one bit a window, lowest first: valid, but rejected by the first stage.
FOVEA_HOST_DEVICE inline std::uint64_t skipped_windows(std::uint64_t rejected, unsigned& state) {
    constexpr std::uint64_t even = 0x5555555555555555ULL;
    rejected &= ~static_cast<std::uint64_t>(state);  // a skipped window is not evaluated
    const std::uint64_t after = rejected << 1 | state;
    const std::uint64_t odd_starts = rejected & ~even & ~after;
    const std::uint64_t ends = rejected + odd_starts;
    state = ends < rejected ? 1 : 0;
    return (even ^ ends << 1) & after;
}

}  // namespace fovea
