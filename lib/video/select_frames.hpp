#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lib/video/index_video.hpp"

namespace fovea {

/// Which frames of a video are wanted. All conditions hold together.
struct FrameSelection {
    std::size_t every = 1;               ///< frames whose number, from 0, is a multiple of it
    double per_second = 0;               ///< at most so many frames a second, evenly; 0 = all
    std::optional<double> from_seconds;  ///< frames shown at this time or later, by the video's own clock
    std::optional<double> to_seconds;    ///< frames shown before this time

    friend bool operator==(const FrameSelection&, const FrameSelection&) = default;
};

/// The numbers of the wanted frames, rising. `per_second` divides the time from the first frame on into equal
/// slots and takes the first frame of each slot.
std::vector<std::size_t> select_frames(const VideoIndex& index, const FrameSelection& selection);

}  // namespace fovea
