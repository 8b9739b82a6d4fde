#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "lib/track/box_follower.hpp"
#include "lib/track/frame_window.hpp"
#include "lib/track/known_moves.hpp"
#include "lib/track/tracked_frames.hpp"

namespace fovea {

/// Finds the moves that a FaceTracker is going to ask for, so that it need not wait for a GPU in every frame:
/// from each detection on to the next one of the face, and back to the one before it. All faces of many
/// frames advance together, one frame at a time, which takes a GPU hardly longer than one face. Detections
/// that overlap are taken for one face; where the tracker decides otherwise, it finds the moves itself. For
/// one thread at a time.
class MovesAhead {
  public:
    /// All references must outlive this. The parameters are those of FaceTracker.
    MovesAhead(const TrackerOptions& options, PointFlow& flow, const LandmarkStage* landmarks, int gpu)
        : options_(options), window_(&flow), follower_(options, flow, landmarks, gpu) {}

    /// Finds the moves in the next frames. \param frames the next frames of the sequence. \return moves up to
    /// the newest frame in which a detector ran; none if detections are more than max_interval frames apart,
    /// because all frames between are held.
    /// \throws what landmarkers and flow throw.
    KnownMoves find(std::span<const TrackerFrame> frames);

    static constexpr int max_interval = 64;

  private:
    /// A face on its way.
    struct Chain {
        Box box;
        std::size_t place = 0;      ///< the frame that it has reached
        std::size_t detection = 0;  ///< the frame that it comes from
        bool is_forwards = true;
    };
    struct DetectedFrame {
        std::size_t place = 0;
        std::vector<Detection> detections;
        std::vector<bool> has_begun;  ///< parallel: chains have begun there
    };

    void add(const TrackerFrame& frame, std::vector<Chain>& chains);
    std::optional<BoxMove> next_move(const Chain& chain) const;
    void arrive(const Chain& chain, std::vector<Chain>& chains);
    void begin(DetectedFrame& frame, std::size_t detection, std::vector<Chain>& chains);
    DetectedFrame* detected_frame(std::size_t place);
    void forget();

    const TrackerOptions& options_;
    FrameWindow window_;
    BoxFollower follower_;
    std::deque<DetectedFrame> detected_;  // frames of the window
    std::vector<Chain> waiting_;          // in the newest of them, for frames to come
};

}  // namespace fovea
