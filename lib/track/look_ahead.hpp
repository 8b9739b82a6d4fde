#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/track/box_follower.hpp"
#include "lib/track/frame_window.hpp"
#include "lib/track/known_ahead.hpp"
#include "lib/track/tracked_frames.hpp"

namespace fovea {

/// Finds what a FaceTracker is going to ask for, so that it need not wait for a GPU in every frame: the moves
/// of a face from each detection on to the next one, and back to the one before it, and the detections where
/// flow loses a face. All faces of many frames advance together, one frame at a time, which takes a GPU
/// hardly longer than one face. So does the whole picture where a face is lost. Detections that overlap are
/// taken for one face; where the tracker decides otherwise, it asks itself. For one thread at a time.
class LookAhead {
  public:
    /// Detects faces in each of some frames, as FaceTracker::DetectNow does in one.
    using DetectFrames = std::function<std::vector<std::vector<Detection>>(
        std::span<const ImageView<const std::uint8_t>> images)>;

    /// All references must outlive this. The parameters are those of FaceTracker.
    LookAhead(const TrackerOptions& options, PointFlow& flow, const LandmarkStage* landmarks, int gpu,
              DetectFrames detect = {})
        : options_(options),
          window_(&flow),
          follower_(options, flow, landmarks, gpu),
          detect_(std::move(detect)) {}

    /// Finds what is going to be asked for in the next frames. \param frames the next frames of the sequence.
    /// \return what is known up to the newest frame in which the detector ran in its turn; nothing if turns
    /// are more than max_interval frames apart, because all frames between are held.
    /// \throws what landmarkers, flow and detectors throw.
    KnownAhead find(std::span<const TrackerFrame> frames);

    static constexpr int max_interval = 64;

  private:
    /// A face on its way.
    struct Chain {
        Box box;
        std::size_t place = 0;      ///< the frame that it has reached
        std::size_t detection = 0;  ///< the frame that it comes from
        bool is_forwards = true;
        bool is_doubtful = false;  ///< in `place`
        bool is_lost = false;      ///< it waits in its last box
        /// The last frame in which the detector looks for it.
        std::optional<std::size_t> searched_until{};
    };
    struct DetectedFrame {
        std::vector<Detection> detections;
        std::vector<bool> has_begun;  ///< parallel: chains have begun there
    };

    void add(const TrackerFrame& frame, std::vector<Chain>& chains);
    std::vector<Chain> advance(std::span<const Chain> chains, KnownAhead& known);
    std::optional<BoxMove> next_move(const Chain& chain) const;
    bool is_searched(const Chain& chain) const;
    std::size_t search(std::span<const Chain> arrived, std::vector<Chain>& chains, KnownAhead& known);
    void detect_spare(const std::set<std::size_t>& frames, KnownAhead& known);
    void begin_in(std::size_t place, std::vector<Detection> detections, std::vector<Chain>& chains);
    void begin(std::size_t place, std::size_t detection, std::vector<Chain>& chains);
    std::optional<std::size_t> detection_of(const Chain& chain, std::size_t place) const;
    void go_on(Chain chain, std::vector<Chain>& chains);
    void follow_scenes(KnownAhead& known);
    void forget();

    const TrackerOptions& options_;
    FrameWindow window_;
    BoxFollower follower_;
    DetectFrames detect_;
    std::map<std::size_t, DetectedFrame> detected_;  // frames of the window, in which the tracker detects
    std::map<std::size_t, std::vector<Detection>> spare_;  // frames in which it may detect
    bool is_restless_ = false;      // the tracker searched many frames of the last call of find()
    std::set<std::size_t> scenes_;  // frames in which the tracker asks how the picture moves
    std::size_t missed_until_ = 0;  // the same: all frames up to this one
    std::size_t scenes_known_until_ = 0;
    std::size_t newest_turn_ = 0;  // frame
    std::vector<Chain> waiting_;   // there, for frames to come
};

}  // namespace fovea
