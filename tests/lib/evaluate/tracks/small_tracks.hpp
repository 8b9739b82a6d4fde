#pragma once

#include <vector>

#include "lib/evaluate/tracks/track_metrics.hpp"

namespace fovea::track_tests {

/// A box of 10 × 10 pixels of a track.
inline TrackedBox at(std::int64_t track, double x, TruthUse use = TruthUse::counts) {
    return {track, {x, 0, 10, 10}, use};
}

/// Boxes by frames.
using Frames = std::vector<std::vector<TrackedBox>>;

inline BoxesByFrame by_frame(const Frames& frames) {
    BoxesByFrame boxes;
    for (const std::vector<TrackedBox>& frame : frames) {
        boxes.begin_frame();
        for (const TrackedBox& box : frame) boxes.add(box);
    }
    return boxes;
}

inline PreparedVideo prepared(const Frames& truth, const Frames& results) {
    TrackVideo video;
    video.name = "clip";
    video.truth = by_frame(truth);
    video.results = by_frame(results);
    return prepare_video(video);
}

inline constexpr TrackMode both_modes[] = {TrackMode::strict, TrackMode::corrected};

}  // namespace fovea::track_tests
