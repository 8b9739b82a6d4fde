#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/evaluate/statistics/resample.hpp"
#include "lib/evaluate/tracks/tracks.hpp"

namespace fovea {

/// A number of an evaluation of tracks.
struct TrackQuantity {
    const char* key;
    const char* name;
    const char* definition;
    Better better;
    Unit unit;
    double (*value)(const TrackNumbers& numbers);
    bool headline = false;
};

/// All quantities that have intervals, the most important first.
const std::vector<TrackQuantity>& track_quantities();

/// Their values with every unit counted once.
Numbers track_estimates(const TrackNumbers& numbers);

/// The numbers from any multiset of the videos.
std::shared_ptr<const BootstrapStatistics> statistics_of_videos(const std::vector<VideoEvaluation>& videos);

/// The numbers from any multiset of blocks of consecutive frames of one video (time_blocks).
///
/// Boxes are paired once, on the whole video. A resample counts each block as often as it holds it: boxes,
/// pairs, switches and fragments, the frames of each true track, of each track of the results, and the frames
/// in which both are a pair. From these it computes associations anew (AssA, IDF1 with its own best choice of
/// pairs), and which tracks are mostly tracked.
std::shared_ptr<const BootstrapStatistics> statistics_of_blocks(const VideoEvaluation& video,
                                                                const TrackEvaluationOptions& options);

}  // namespace fovea
