#pragma once

#include <cstdint>
#include <string>

#include "kernels/core/view.hpp"

namespace fovea {

/// A clip that is drawn: faces on a photograph, and what makes them hard to follow.
struct ClipPlan {
    std::string name;
    Size size{640, 480};
    int frames = 150;
    int faces = 2;           ///< 0: the background alone
    double face_width = 90;  ///< of the landmarks, pixels, at a scale of 1
    double speed = 0.03;     ///< mean, face widths a frame
    double zoom = 1.2;       ///< scales from 1 / zoom to zoom
    double turn = 10;        ///< in the plane, to either side, degrees
    bool crossing = false;   ///< faces share the frame; else each keeps to its part of it
    double bar = 0;          ///< width of an upright bar that passes over the frame, face widths; 0: none
    double bar_speed = 0.1;  ///< face widths a frame
    double exposure = 0;     ///< share by which brightness and contrast rise and fall
    double blur = 0;         ///< share of a frame's time that the shutter is open
    double noise = 0;        ///< standard deviation, grey levels
    std::uint64_t seed = 1;  ///< of faces, paths and noise

    friend bool operator==(const ClipPlan&, const ClipPlan&) = default;
};

}  // namespace fovea
