#pragma once

#include <vector>

#include "lib/core/threads.hpp"
#include "lib/core/types.hpp"
#include "lib/detect/detector.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/landmark/add_landmarks.hpp"
#include "lib/track/tracker_options.hpp"
#include "tests/lab/tracks/clip_renderer.hpp"

namespace fovea {

/// The means to find and follow faces on the CPU. All must outlive it.
struct TrackMeans {
    const Detector& detector;
    DetectorOptions detection;
    LandmarkStage landmarks;
    ThreadLimit& limit;
};

/// The faces of each frame.
using FoundFaces = std::vector<std::vector<Detection>>;

/// A clip in memory.
struct Clip {
    ClipPlan plan;
    std::vector<GreyImage> frames;
    std::vector<std::vector<TrueFace>> truth;  ///< parallel
    FoundFaces detections{};                   ///< parallel, of a detector in every frame
};

/// Draws all frames. \return without detections
Clip drawn_clip(const ClipRenderer& renderer, ThreadLimit& limit);

/// Runs the detector in every frame. \throws what detectors throw.
void detect_clip(Clip& clip, const TrackMeans& means);

/// Follows the faces of a clip, with landmarks, as `fovea track` does it; the detector's results are those of
/// the clip, in every options.redetect-th frame.
FoundFaces followed_clip(const Clip& clip, const TrackerOptions& options, const TrackMeans& means);

}  // namespace fovea
