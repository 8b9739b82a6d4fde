#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/device.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/detector.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/landmark/add_landmarks.hpp"
#include "lib/track/tracker_options.hpp"

namespace fovea {

/// The detector, landmarks and threads that are timed, on one device. All references must outlive this.
struct TimedMeans {
    const Device& device;
    const Detector& detector;
    DetectorOptions detection;
    LandmarkStage landmarks;
    ThreadLimit& limit;
};

struct TimingPlan {
    std::vector<int> redetects{2, 5, 10, 20, 50};
    int repeat = 3;  ///< runs through the frames after one that warms up
};

/// The times of one way to find faces in each frame: from grey pixels in the device's memory to boxes with
/// landmarks on the host, without delay.
struct FrameTimes {
    std::string work;
    int redetect = 1;                 ///< 1: a detector in every frame
    double boxes = 0;                 ///< boxes per frame, false ones included
    std::vector<double> ms;           ///< all frames of all runs, in order
    std::vector<double> detected_ms;  ///< only frames in which a detector ran
    double mean_ms = 0, median_ms = 0, p99_ms = 0, max_ms = 0;
    double detected_mean_ms = 0;
    double quickest_mean_ms = 0, slowest_mean_ms = 0;  ///< of single runs through the frames
    std::optional<double> speed_up;                    ///< of the mean, over detection in every frame
};

/// Options with the scores that `fovea track` asks for: if scores are confidences, weak detections only
/// continue tracks; otherwise all detections begin and continue tracks.
struct ScoredMeans {
    TrackerOptions tracker;
    DetectorOptions detection;
};
ScoredMeans with_track_scores(TrackerOptions tracker, DetectorOptions detection);

/// The options of following's rival: detections of every frame, with landmarks, joined to tracks.
TrackerOptions every_frame(TrackerOptions options);

/// Times the ways to find faces in turns: each goes through the frames once before any goes through
/// them again.
/// \param frames at least one, all of one size. \return the runs before it was cancelled; nothing before all
/// have warmed up. \throws DeviceError; std::bad_alloc
std::vector<FrameTimes> time_tracking(const TimingPlan& plan, const std::vector<GreyImage>& frames,
                                      const TrackerOptions& tracker, const TimedMeans& means,
                                      const JobHooks& hooks);

}  // namespace fovea
