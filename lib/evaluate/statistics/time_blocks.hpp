#pragma once

#include <algorithm>
#include <cstddef>

namespace fovea {

/// The number of blocks of equally many consecutive frames by which a single video is resampled: 20, or fewer
/// so that a block has at least 10 frames; 0 if that leaves only one. Neighbouring frames are alike, so
/// resampling single frames would make intervals far too narrow.
inline std::size_t time_blocks(std::size_t frames) {
    constexpr std::size_t most = 20, least_frames = 10;
    const std::size_t blocks = std::min(most, frames / least_frames);
    return blocks < 2 ? 0 : blocks;
}

/// The block of a frame. \param blocks at least 1.
inline std::size_t time_block_of(std::size_t frame, std::size_t frames, std::size_t blocks) {
    return frame * blocks / frames;
}

}  // namespace fovea
