#include "lib/video/select_frames.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

// Times are rounded to microseconds: a frame that is due at a slot's beginning must not fall into the one
// before.
constexpr double rounding = 1e-6;

}  // namespace

std::vector<std::size_t> select_frames(const VideoIndex& index, const FrameSelection& selection) {
    const VideoSource& video = *index.source;
    std::vector<std::size_t> frames;
    const double start = video.seconds(index.time_stamps.front());
    double last_slot = -1;
    for (std::size_t i = 0; i < index.time_stamps.size(); ++i) {
        const double time = video.seconds(index.time_stamps[i]);
        if (selection.per_second > 0) {
            const double slot = std::floor((time - start + rounding) * selection.per_second);
            if (slot <= last_slot) continue;
            last_slot = slot;
        }
        if (i % std::max<std::size_t>(1, selection.every) != 0) continue;
        if (selection.from_seconds && time < *selection.from_seconds) continue;
        if (selection.to_seconds && time >= *selection.to_seconds) continue;
        frames.push_back(i);
    }
    return frames;
}

}  // namespace fovea
