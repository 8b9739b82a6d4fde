#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lib/track/box_follower.hpp"
#include "lib/track/frame_window.hpp"
#include "lib/track/known_moves.hpp"
#include "lib/track/tracked_frames.hpp"

namespace fovea {

/// Finds the moves that a FaceTracker is going to ask for: from each strong detection up to the next frame in
/// which a detector ran, and back to behind the one before it. The moves of many frames are found step by
/// step together, which a GPU does in hardly more time than those of one frame. For one thread at a time.
class MovesAhead {
  public:
    /// All must outlive it; see FaceTracker.
    MovesAhead(const TrackerOptions& options, PointFlow& flow, const LandmarkStage* landmarks, int gpu)
        : options_(options), window_(&flow), follower_(options, flow, landmarks, gpu) {}

    /// \param frames the next ones of the sequence. \return the moves that end in them; none where
    /// detections are more than max_interval frames apart, because all frames between two are held.
    /// \throws what landmarkers and flow throw
    KnownMoves find(std::span<const TrackerFrame> frames);

    static constexpr std::size_t max_interval = 64;

  private:
    struct Chain;
    struct DetectedFrame {
        std::size_t place = 0;
        std::vector<Box> boxes;  ///< of strong detections
    };

    void start(const DetectedFrame& first, const DetectedFrame& second, std::vector<Chain>& chains) const;
    std::optional<BoxMove> next_move(Chain& chain) const;
    void forget();

    const TrackerOptions& options_;
    FrameWindow window_;
    BoxFollower follower_;
    std::optional<DetectedFrame> last_;  // the newest frame in which a detector ran
};

}  // namespace fovea
