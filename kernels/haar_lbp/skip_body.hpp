#pragma once

#include <cstdint>

#include "kernels/core/view.hpp"

namespace fovea {

/// The skipped windows of 64 in a row: a window is skipped if the window before it was visited and rejected.
/// The result is the complement of visited_windows(), for 64 bits at once.
///
/// Within a run of rejected windows every second window is skipped. Adding the runs' first bits to the runs
/// makes the carries mark the runs' ends, which tells odd from even positions for all runs at once.
///
/// \param rejected one bit a window, lowest first: valid, but rejected by the first stage.
/// \param state 1 if the first window is skipped; becomes 1 if the window after the last is.
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
