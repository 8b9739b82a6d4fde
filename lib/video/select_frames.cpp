#include "lib/video/select_frames.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

// Time stamps are rounded, in some containers to milliseconds: a frame that is due at a slot's beginning must
// not fall into the one before.
double rounding_of(const VideoSource& video) {
    constexpr double least = 1e-6, most = 501e-6;
    const double half_a_tick =
        0.5 * static_cast<double>(video.time_base_num) / static_cast<double>(video.time_base_den);
    return std::min(most, half_a_tick + least);
}

}  // namespace

std::vector<std::size_t> select_frames(const VideoIndex& index, const FrameSelection& selection) {
    const VideoSource& video = *index.source;
    std::vector<std::size_t> frames;
    const double rounding = rounding_of(video);
    const auto seconds = [&](std::size_t i) {
        return video.seconds(video.rising_stamp(static_cast<std::int64_t>(i), index.time_stamps[i]));
    };
    const double start = seconds(0);
    double last_slot = -1;
    for (std::size_t i = 0; i < index.time_stamps.size(); ++i) {
        const double time = seconds(i);
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
