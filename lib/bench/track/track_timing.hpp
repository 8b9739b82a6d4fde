#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/device.hpp"
#include "lib/bench/track/tracked_clip.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// The means that are timed, on one device. All must outlive it.
struct TimedMeans {
    const Device& device;
    const Detector& detector;
    DetectorOptions detection;
    LandmarkStage landmarks;
    ThreadLimit& limit;
};

struct TimingPlan {
    ClipPlan clip;  ///< with faces
    std::vector<int> redetects{2, 5, 10, 20, 50};
    int repeat = 3;  ///< runs through the clip behind one that warms up
};

/// The time of each frame of one way to find faces: from grey pixels in the device's memory to boxes with
/// landmarks on the host, results at once.
struct FrameTimes {
    std::string work;
    int redetect = 1;  ///< 1: a detector in every frame
    bool has_faces = true;
    double boxes = 0;                 ///< per frame, false ones included
    std::vector<double> ms;           ///< of all frames, in order, of the runs one behind the other
    std::vector<double> detected_ms;  ///< of these, the frames in which a detector ran
    double mean_ms = 0, median_ms = 0, p99_ms = 0, max_ms = 0;
    double detected_mean_ms = 0;
    double quickest_mean_ms = 0, slowest_mean_ms = 0;  ///< of single runs through the clip
    std::optional<double> speed_up;  ///< of the mean, against detection in every frame of the same clip
};

/// Takes turns: each way goes through the clip once before any goes through it again.
/// \return as far as it came, if it was cancelled: nothing before all have warmed up.
/// \throws DeviceError; std::bad_alloc
std::vector<FrameTimes> time_tracking(const TimingPlan& plan, const CutOuts& cut_outs,
                                      const TrackerOptions& tracker, const TimedMeans& means,
                                      const RunHooks& hooks);

}  // namespace fovea
