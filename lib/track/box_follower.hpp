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

/// A box that is to be moved from one frame of a window to another, which has the same size.
struct BoxMove {
    std::size_t from = 0;
    std::size_t to = 0;
    Box box;
};

/// Moves boxes of faces from one frame to another by the points in them. For one thread at a time.
class BoxFollower {
  public:
    /// \param landmarks null: a grid takes their place. \param gpu that the frames are on; see ImageBatch.
    /// All must outlive it.
    BoxFollower(const TrackerOptions& options, PointFlow& flow, const LandmarkStage* landmarks, int gpu)
        : options_(options), flow_(flow), landmarks_(landmarks), gpu_(gpu) {}

    /// The boxes where they are moved to. A box that the points do not agree on, or that has left the image,
    /// is lost. Each result depends on its own move alone.
    std::vector<std::optional<Box>> follow(FrameWindow& window, std::span<const BoxMove> moves) const;

  private:
    std::vector<std::vector<Point>> points_of(const FrameWindow& window,
                                              std::span<const BoxMove> moves) const;
    std::optional<Box> moved(const Box& box, std::span<const Point> points,
                             std::span<const FollowedPoint> followed) const;

    const TrackerOptions& options_;
    PointFlow& flow_;
    const LandmarkStage* landmarks_;
    int gpu_;
};

}  // namespace fovea
