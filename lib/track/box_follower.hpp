#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lib/landmark/add_landmarks.hpp"
#include "lib/track/frame_window.hpp"
#include "lib/track/point_flow.hpp"
#include "lib/track/similarity.hpp"
#include "lib/track/tracker_options.hpp"

namespace fovea {

/// A box to be moved from one frame of a window to another frame of the same size.
struct BoxMove {
    std::size_t from = 0;
    std::size_t to = 0;
    Box box;
};

/// Two frames of a window that have the same size.
struct FramePair {
    std::size_t from = 0;
    std::size_t to = 0;
};

/// Why flow loses a box.
enum class FlowLoss {
    none,          ///< it does not
    few_return,    ///< too few of its points come back to where they were
    disagreement,  ///< too few of them move alike
    scale,         ///< it would grow or shrink too much
    outside,       ///< its centre would leave the image
};

/// A box as it was moved.
struct MovedBox {
    /// Empty if it is lost.
    Box box{};
    /// Share of its points that agree on the movement; those that come back with FlowLoss::few_return.
    double agreement = 0;
    FlowLoss loss = FlowLoss::none;

    bool is_lost() const { return loss != FlowLoss::none; }
};

/// How a picture has moved.
struct SceneMove {
    /// The frames show different scenes: hardly a point comes back to its place. A picture that has too
    /// little texture, as one of a flash, is taken for the same scene.
    bool is_cut = false;
    /// The move of the background; nothing where its points do not agree on one.
    std::optional<Similarity> background{};
};

/// Moves boxes of faces from one frame to another by the points in them. For one thread at a time.
class BoxFollower {
  public:
    /// All references must outlive this. \param landmarks null: a grid of points takes their place.
    /// \param gpu the GPU that the frames are on; see ImageBatch.
    BoxFollower(const TrackerOptions& options, PointFlow& flow, const LandmarkStage* landmarks, int gpu)
        : options_(options), flow_(flow), landmarks_(landmarks), gpu_(gpu) {}

    /// \return the moved boxes, parallel to `moves`. Each depends on its own move alone.
    std::vector<MovedBox> follow(FrameWindow& window, std::span<const BoxMove> moves) const;

    /// Follows a grid of points over the whole picture. \return the points of each pair; they depend
    /// on this pair alone.
    std::vector<std::vector<FollowedPoint>> follow_scenes(FrameWindow& window,
                                                          std::span<const FramePair> pairs) const;
    /// How the picture as a whole has moved. \param followed what follow_scenes() returned for the pair.
    /// \param faces boxes in the first frame that move by themselves.
    SceneMove scene_move(FrameWindow& window, const FramePair& pair, std::span<const FollowedPoint> followed,
                         std::span<const Box> faces) const;

  private:
    std::vector<std::vector<Point>> points_of(const FrameWindow& window,
                                              std::span<const BoxMove> moves) const;
    MovedBox moved(const Box& box, std::span<const Point> points,
                   std::span<const FollowedPoint> followed) const;

    const TrackerOptions& options_;
    PointFlow& flow_;
    const LandmarkStage* landmarks_;
    int gpu_;
};

}  // namespace fovea
