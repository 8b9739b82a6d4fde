#pragma once

#include <cstdint>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// How a face moves through a frame.
struct FacePathPlan {
    Box region;             ///< of its centre, pixels; without extent it stays there
    double face_width = 0;  ///< pixels, at a scale of 1
    double speed = 0;       ///< mean, in face widths a frame; 0: it stays where it is
    double zoom = 1;        ///< the scale changes between 1 / zoom and zoom; at least 1
    double max_turn = 0;    ///< in the plane, to either side, radians
    std::uint64_t seed = 1;
};

/// The place of a face at one time.
struct FacePose {
    Point centre;
    double scale = 1;
    double turn = 0;  ///< radians, clockwise as seen
};

/// A smooth path between random poses: speed, growth and turning rise from zero and fall to it between two
/// of them (3u² - 2u³). Equal plans give equal paths.
class FacePath {
  public:
    /// \param end time of the last frame; the path goes a little further.
    FacePath(const FacePathPlan& plan, double end);

    /// \param time in frames from 0; before the beginning and behind the end the face stands still.
    FacePose at(double time) const;

  private:
    struct Stop {
        double time = 0;
        FacePose pose;
    };
    std::vector<Stop> stops_;
};

/// A number from 0 to 1, without 1: the index-th of a random row.
double random_share(std::uint64_t seed, std::uint64_t index);

}  // namespace fovea
