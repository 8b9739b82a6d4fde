#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/core/device.hpp"
#include "lib/config/track_config.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/detector.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/landmark/add_landmarks.hpp"
#include "lib/run/track/frame_pieces.hpp"
#include "lib/run/track/person_memory.hpp"
#include "lib/track/detector_rhythm.hpp"
#include "lib/track/face_tracker.hpp"
#include "lib/track/moves_ahead.hpp"

namespace fovea {

/// Everything that one thread needs to follow sequences on one device.
struct TrackingTools {
    const Device& device;
    const Detector& detector;
    DetectorOptions detection;               ///< weak detections included
    std::optional<LandmarkStage> landmarks;  ///< nothing: faces have none
    PointFlow* flow = nullptr;               ///< null with FollowMode::detections
    /// Finds moves in the detector's thread, before the tracker asks for them; null: the tracker finds
    /// all itself.
    PointFlow* flow_ahead = nullptr;
    ThreadLimit& limit;  ///< runs work on the CPU
};

/// A frame as it comes out of the tracker.
struct FinishedFrame {
    std::size_t index = 0;  ///< in the list of the sequence
    ImageSize size;
    std::string unreadable;  ///< the reason; empty if it was read
    bool is_damaged = false;
    int pages = 1;  ///< of its file, which shows the first one
    std::vector<Detection> faces;
    std::vector<TrackDecision> decisions;  ///< see TrackConfig::explain
    ImageView<const std::uint8_t> image;   ///< in the device's memory; valid during the call
};

/// Detects and follows the faces of one sequence.
class SequenceTracker {
  public:
    using TakeFrames = std::function<void(std::vector<FinishedFrame>& frames)>;

    /// All references must outlive this.
    SequenceTracker(const TrackConfig& config, const TrackingTools& tools,
                    FaceTracker::NumberTrack number_track, TakeFrames take);

    /// Follows the faces through all pieces. If it is cancelled, the frames so far are finished.
    /// \return false if it was cancelled. \throws what pieces, detectors and `take` throw.
    bool run(FramePieces& pieces, const std::atomic<bool>* cancel);

  private:
    struct DetectedPiece;

    bool is_cancelled() const { return fovea::is_cancelled(cancel_); }
    DetectedPiece detect(FramePiece piece);
    std::vector<Detection> detect_now(const ImageView<const std::uint8_t>& image) const;
    void add(DetectedPiece& piece);
    void finish(std::span<TrackedFrame> frames);

    const TrackConfig& config_;
    const TrackingTools& tools_;
    TakeFrames take_;
    FaceTracker tracker_;
    std::optional<MovesAhead> moves_ahead_;
    const std::atomic<bool>* cancel_ = nullptr;
    DetectorRhythm rhythm_;
    std::deque<LoadedImage> in_tracker_;  // frames that are not finished, without pixels
};

}  // namespace fovea
