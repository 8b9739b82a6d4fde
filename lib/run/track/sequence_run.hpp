#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lib/config/track_config.hpp"
#include "lib/detect/detector.hpp"
#include "lib/image/gpu_images.hpp"
#include "lib/run/track/person_memory.hpp"
#include "lib/run/track/track_files.hpp"
#include "lib/run/track/track_summary.hpp"
#include "lib/run/track/tracking_lane.hpp"
#include "lib/track/detector_rhythm.hpp"
#include "lib/track/face_tracker.hpp"
#include "lib/track/look_ahead.hpp"

namespace fovea {

/// The rules of a job and its detector's options, with score limits filled in (set_tracking_scores).
struct TrackingRules {
    TrackConfig tracking;
    DetectorOptions detection;               ///< weak detections included
    std::optional<LandmarkStage> landmarks;  ///< nothing: faces have none
    /// Describes faces for a gallery, or to know persons again; nothing: neither is wanted.
    std::optional<RecogniserConfig> recogniser;
};

/// One sequence on its way from frames to files: its faces are detected and followed.
class SequenceRun {
  public:
    /// All references must outlive this. \param note is told of each frame that is written.
    SequenceRun(const TrackingRules& rules, TrackingLane& lane, const ImageList& frames, std::string name,
                SequenceFiles& files, std::function<void(const ImageResult&)> note);

    /// Follows the faces through all pieces. If it is cancelled, the frames so far are finished.
    /// \return the tracks, in the order of their numbers.
    /// \throws what pieces and detectors throw; AppendError
    std::vector<TrackSummary> go(FramePieces& pieces, const std::atomic<bool>* cancel);

  private:
    struct DetectedPiece;

    const LandmarkStage* landmarks() const { return rules_.landmarks ? &*rules_.landmarks : nullptr; }
    DetectedPiece detect(FramePiece piece);
    std::vector<std::vector<Detection>> detect(std::span<const ImageView<const std::uint8_t>> views) const;
    int number_of(const Track& track, const ImageView<const std::uint8_t>& image,
                  const std::set<int>& in_use);
    void take(TrackedFrame& tracked);
    void keep_best_faces(const ImageResult& frame, const ImageView<const std::uint8_t>& view);

    const TrackingRules& rules_;
    TrackingLane& lane_;
    const ImageList& frames_;
    SequenceFiles& files_;
    std::function<void(const ImageResult&)> note_;
    TrackGatherer gatherer_;
    FaceTracker tracker_;
    std::optional<LookAhead> look_ahead_;
    DetectorRhythm rhythm_;
    std::deque<LoadedImage> in_tracker_;  // frames that are not finished, without pixels
    const FaceDescriber* describer_ = nullptr;
    std::optional<PersonMemory> persons_;
    HostCopy host_copy_;
    int last_number_ = 0;
    std::size_t place_ = 0;  // of the next frame in its sequence
};

}  // namespace fovea
