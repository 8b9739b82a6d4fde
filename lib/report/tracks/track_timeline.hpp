#pragma once

#include <cstdint>
#include <vector>

#include "lib/evaluate/tracks/tracks.hpp"

namespace fovea::report {

/// Frames without a gap in which a true track is seen, or is found as one track of the results.
struct TimelineSpan {
    std::uint32_t truth = 0;   ///< the true track, of PreparedVideo
    std::uint32_t result = 0;  ///< the track that found it; means nothing where it is only seen
    std::uint32_t first = 0;   ///< places of the first and last frame
    std::uint32_t last = 0;
};

/// The frame in which a true track gets another track of the results than it had before.
struct IdentitySwitch {
    std::uint32_t frame = 0;  ///< its place
    std::uint32_t truth = 0;
    std::uint32_t before = 0;  ///< tracks of the results
    std::uint32_t after = 0;
};

/// A video's tracks over time, by CLEAR's pairs.
struct Timeline {
    std::vector<TimelineSpan> seen;
    std::vector<TimelineSpan> found;
    std::vector<IdentitySwitch> switches;
};

Timeline timeline_of(const VideoEvaluation& video);

/// A stretch of frames of a video.
struct OverlapPoint {
    double frame = 0;     ///< the middle, as a number of the video
    double found = 0;     ///< share of the true boxes
    double mean_iou = 0;  ///< of those found; 0 where none is
    bool has_truth = false;
    bool has_pairs = false;
};

/// CLEAR's pairs over time, in at most `most` stretches of equally many frames.
std::vector<OverlapPoint> overlap_over_time(const VideoEvaluation& video, std::size_t most);

}  // namespace fovea::report
