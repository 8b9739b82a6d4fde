#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lib/landmark/add_landmarks.hpp"
#include "lib/track/frame_window.hpp"
#include "lib/track/point_flow.hpp"
#include "lib/track/tracker_options.hpp"

namespace fovea {

/// A box to be moved from one frame of a window to another frame of the same size.
struct BoxMove {
    std::size_t from = 0;
    std::size_t to = 0;
    Box box;
};

/// A box as it was moved.
struct MovedBox {
    Box box;
    /// Share of its points that agree on the movement.
    double agreement = 1;
};

/// Moves boxes of faces from one frame to another by the points in them. For one thread at a time.
class BoxFollower {
  public:
    /// All references must outlive this. \param landmarks null: a grid of points takes their place.
    /// \param gpu the GPU that the frames are on; see ImageBatch.
    BoxFollower(const TrackerOptions& options, PointFlow& flow, const LandmarkStage* landmarks, int gpu)
        : options_(options), flow_(flow), landmarks_(landmarks), gpu_(gpu) {}

    /// \return the moved boxes, parallel to `moves`; nothing for a box whose points do not
    /// agree, or whose centre has left the image. Each result depends on its own move alone.
    std::vector<std::optional<MovedBox>> follow(FrameWindow& window, std::span<const BoxMove> moves) const;

    /// True if two frames of one size show different scenes: hardly a point of a grid over the whole picture
    /// comes back to its place. A picture that has too little texture is taken for the same scene.
    bool is_cut(FrameWindow& window, std::size_t from, std::size_t to) const;

  private:
    std::vector<std::vector<Point>> points_of(const FrameWindow& window,
                                              std::span<const BoxMove> moves) const;
    std::optional<MovedBox> moved(const Box& box, std::span<const Point> points,
                                  std::span<const FollowedPoint> followed) const;

    const TrackerOptions& options_;
    PointFlow& flow_;
    const LandmarkStage* landmarks_;
    int gpu_;
};

}  // namespace fovea
