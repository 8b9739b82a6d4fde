#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/tracks/track_json.hpp"
#include "lib/evaluate/tracks/tracks.hpp"
#include "lib/report/page/report_part.hpp"

namespace fovea::report {

constexpr Decimals track_decimals{2, 3};

/// The numbers by which trackers and videos are compared, and that stand out.
inline const std::vector<std::string> shown_track_numbers{"hota", "det_a", "ass_a", "loc_a",
                                                          "mota", "motp",  "idf1"};

/// Trackers that were evaluated on the same videos, and what they are compared by.
struct TrackersCompared {
    const Dataset& dataset;
    const std::vector<TrackEvaluation>& evaluations;
    /// Parallel to evaluations.
    std::vector<std::string> names;
    std::vector<TrackComparison> comparisons;
};

/// The content of a report on trackers.
PartContent track_content(const TrackersCompared& trackers);

/// Each tracker by number: the headlines with their intervals, switches and fragments.
Table tracker_table(const std::vector<TrackEvaluation>& evaluations, const std::vector<std::string>& names);
/// Each video of a tracker by number.
Table track_video_table(const TrackEvaluation& evaluation);
/// The numbers in which another tracker differs from the first.
Table track_difference_table(const TrackComparison& comparison);

/// HOTA and its parts by least IoU of a pair.
std::vector<Plot> track_threshold_plots(const TrackersCompared& trackers);
/// HOTA by video; none where there is one.
std::vector<Plot> track_video_plots(const TrackersCompared& trackers);
/// The tracks of a video over time, and how well its boxes fit. \param number counts the videos shown,
/// from 1.
std::vector<Plot> track_time_plots(const TrackersCompared& trackers, std::size_t video, std::size_t number);

}  // namespace fovea::report
