#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/statistics/resample.hpp"
#include "lib/evaluate/tracks/motmetrics.hpp"
#include "lib/evaluate/tracks/track_metrics.hpp"
#include "lib/results/results.hpp"

namespace fovea {

struct TrackEvaluationOptions {
    TrackMode mode = TrackMode::strict;
    double iou_threshold = 0.5;      ///< of CLEAR and Identity, in (0, 1]
    int bootstrap_resamples = 1000;  ///< for the 95 % intervals; 0 = none
    std::uint64_t bootstrap_seed = 1;
};

/// A video with its numbers.
struct VideoEvaluation {
    std::string name;
    std::vector<std::int64_t> frames;  ///< their numbers in the video, from 0
    PreparedVideo prepared;
    TrackNumbers numbers;
    TrackNumbers other;  ///< in the other mode
    MotmetricsNumbers motmetrics;
    std::vector<HotaMatch> hota_matches;
    std::vector<ClearMatch> clear_matches;
};

/// Everything that is known about a tracker on a dataset.
struct TrackEvaluation {
    std::string name;  ///< the tracker's, for legends
    TrackEvaluationOptions options;
    int images = 0;                       ///< annotated frames
    int images_unreadable = 0;            ///< of these: recorded as unreadable; their faces count as missed
    int images_missing = 0;               ///< of these: the results lack them; their faces count as missed
    int images_extra = 0;                 ///< frames in the results that the dataset does not annotate
    std::vector<VideoEvaluation> videos;  ///< by name, in the order of its bytes
    TrackNumbers numbers;                 ///< of all videos
    TrackNumbers other;                   ///< in the other mode
    MotmetricsNumbers motmetrics;
    /// The units that are resampled: "videos", or "blocks of 117 frames". Empty without any.
    std::string units;
    Numbers estimates;  ///< the numbers with their intervals; keys as in report.json
    std::shared_ptr<const BootstrapStatistics> statistics;
    std::vector<std::string> warnings;
};

/// The videos of a dataset with the true tracks and the tracks of results.
///
/// The attribute "track" of faces names the true track. If no face of a video has it, and no frame has more
/// than one face, all its faces are one track. Tracks that are no numbers are numbered in their order.
/// \throws Error if faces or detections lack their track, or a track has two boxes in a frame.
std::vector<TrackVideo> track_videos(const Dataset& dataset,
                                     const std::vector<const ImageResult*>& results_of_samples,
                                     TrackMode mode);

/// Evaluates the tracks of results against a dataset's. Frames are paired by name (pair_images).
/// \throws Error as track_videos() and pair_images().
TrackEvaluation evaluate_tracks(const Dataset& dataset, const DetectionResults& results,
                                const TrackEvaluationOptions& options, const std::string& name,
                                const ShareProgress& progress = {});

/// "strict" or "corrected".
std::string track_mode_name(TrackMode mode);

}  // namespace fovea
