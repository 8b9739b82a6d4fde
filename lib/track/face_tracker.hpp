#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/core/image_batch.hpp"
#include "lib/core/types.hpp"
#include "lib/landmark/add_landmarks.hpp"
#include "lib/track/box_follower.hpp"
#include "lib/track/frame_window.hpp"
#include "lib/track/known_ahead.hpp"
#include "lib/track/track.hpp"
#include "lib/track/tracked_frames.hpp"
#include "lib/track/tracker_options.hpp"

namespace fovea {

/// Follows the faces of one sequence of frames.
///
/// Between detections, the box of a face follows points in it by optical flow. If flow loses a face, or its
/// points do not agree well, a detector looks for it at once (`detect`), and for max_search frames. A
/// detection is joined to the track whose expected box it overlaps, or whose motion leads there, or begins a
/// track. From every detection the face is also followed
/// back: to its last detection, so that a frame between has the weighted mean of both boxes, but for at most
/// look_back frames. A track counts once it has min_detections. Without a detection it is followed for
/// max_followed frames and then lost; gaps of up to max_bridged frames are filled; places behind its last
/// detection count for `redetect` frames only, or all of them if look_back is 0. A lost track ends after
/// max_lost frames. Before that, a detection on its last box or a face that is followed back to it continues
/// it. Nothing is followed where frames change size: tracks are lost there, their boxes scaled. Tracks end
/// where frames change shape.
///
/// Results depend on the frames, detections and options alone: they are equal on every device.
/// Sources: C. Helf, "Real-Time Facial Feature Detection on Mobile Graphics Processing Units", Universität
/// Wien, 2018, section 3.4 (boxes that follow by flow, K); ByteTrack (join_detections()). Following back is
/// our own.
class FaceTracker {
  public:
    /// Takes frames in their order; those of one call follow each other.
    using TakeFrames = std::function<void(std::span<TrackedFrame> frames)>;
    /// Returns the number of a track that begins to count. \param image the frame of its latest detection.
    /// \param in_use numbers of tracks that were detected later than the first detection of this one.
    using NumberTrack = std::function<int(const Track& track, const ImageView<const std::uint8_t>& image,
                                          const std::set<int>& in_use)>;

    /// Detects faces in the newest frame.
    using DetectNow = std::function<std::vector<Detection>(const ImageView<const std::uint8_t>& image)>;

    /// All pointers must outlive this. \param detect empty: the detector runs in its turn alone. \param flow
    /// null with FollowMode::detections. \param landmarks null: faces have none. \param gpu the GPU that all
    /// frames are on; see ImageBatch.
    FaceTracker(const TrackerOptions& options, PointFlow* flow, const LandmarkStage* landmarks, int gpu,
                NumberTrack number_track, TakeFrames take, DetectNow detect = {});

    /// Frames that are handed out tell what was decided on each track, from now on.
    void explain() { explains_ = true; }

    /// Adds the next frame or frames, and hands frames that become final to `take` at once.
    /// \throws what landmarkers and flow throw, and what `take` throws.
    void add(TrackerFrame frame) { add(std::span(&frame, 1)); }
    void add(std::span<TrackerFrame> frames);
    /// Tells what add() need not find.
    void know(KnownAhead known) { known_.add(std::move(known)); }
    /// Says that no frame follows, and hands all frames that are left to `take`.
    void finish();

    /// The most frames that wait in a tracker with these options.
    static std::size_t max_frames_held(const TrackerOptions& options);

  private:
    struct Chain;

    void add_one(TrackerFrame& frame);
    std::vector<MovedBox> follow(std::size_t from, std::size_t to, std::span<const Box> boxes);
    void go_on_in_size(std::size_t frame);
    void follow_to(std::size_t frame);
    void go_on_in_scene(std::size_t before, std::size_t frame, std::span<const Box> faces);
    void join(std::size_t frame, const std::vector<Detection>& detections, bool is_turn);
    std::vector<Track*> open_tracks();
    void follow_back(std::size_t frame, std::vector<Chain>& chains);
    bool extend(Chain& chain, std::size_t frame, const Box& box, const std::vector<Chain>& chains);
    void accept(std::size_t frame, Chain& chain);
    void number(Track& track);
    void end_in(Track& track, Track& earlier);
    TrackDecision& note(const Track& track);
    bool has_decision(const Track& track) const;
    void leave(Track& track, Track::State state, std::string_view why);
    void lose(Track& track, std::string_view why);
    bool is_doubtful(const MovedBox& moved) const;
    static bool is_in_doubt(const Track& track, std::size_t frame);
    void search_for(Track& track, std::size_t frame, std::string_view why);
    bool searches(std::size_t frame) const;
    std::vector<Detection> detect_in(std::size_t frame) const;
    void end_old_tracks(std::size_t frame);
    void finish_before(std::size_t end);
    std::vector<Detection> faces_in(std::size_t frame) const;
    std::vector<TrackDecision> decisions_in(std::size_t frame);
    void hand_out();
    void add_landmarks_to(std::vector<TrackedFrame>& frames) const;

    const TrackerOptions options_;
    const LandmarkStage* landmarks_;
    int gpu_;
    NumberTrack number_track_;
    TakeFrames take_;
    DetectNow detect_;
    const std::size_t delay_;  // frames
    FrameWindow window_;
    std::optional<BoxFollower> follower_;
    KnownAhead known_;
    bool explains_ = false;
    std::map<std::size_t, std::map<int, TrackDecision>> decisions_;  // by frame and face
    TrackDecision ignored_;
    std::map<int, int> number_of_face_;  // Track::number
    int begun_ = 0;                      // tracks
    std::list<Track> tracks_;
    std::size_t finished_ = 0;                               // frames before it are final
    std::vector<TrackedFrame> final_frames_;                 // that were not handed out yet
    std::vector<std::shared_ptr<const void>> final_memory_;  // of their pixels
    std::size_t newest_readable_ = 0;                        // frame
    std::optional<std::size_t> cut_in_;                      // the newest frame of another scene
    std::optional<Similarity> background_;                   // its move into the newest frame, if known
    std::optional<std::size_t> last_detected_;               // the newest frame in which a detector ran
};

}  // namespace fovea
