#pragma once

#include <algorithm>
#include <cstddef>

namespace fovea {

/// How many blocks of equally many consecutive frames a single video is resampled by: 20, fewer where a block
/// would have less than 10 frames, none where there would be one. Frames of one moment are alike, so that
/// single frames would make intervals that are far too narrow.
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
