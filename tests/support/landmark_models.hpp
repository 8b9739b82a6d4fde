#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/landmark/landmark_model.hpp"

namespace fovea::test {

struct LandmarkModelShape {
    int points = 68;
    int depth = 4;
    std::size_t cascades = 3;
    std::size_t trees = 20;
    std::size_t pixels = 40;
    bool quantised = false;
    int subpixels = 1;
};

/// A model with random shape, pixels, splits and leaves of plausible sizes: a few hundredths of the box in
/// all. The same on every machine.
LandmarkModel random_landmark_model(const LandmarkModelShape& shape, std::uint32_t seed);

/// A model of so many points, half of them in a row at y = 0.25 and the rest at 0.75, x from 0 to 1, that
/// never moves them: what it finds is where its box is.
LandmarkModel still_landmark_model(int points = 68);

/// The same as a file of dlib: a shape_predictor without cascades.
std::string still_landmark_file(int points = 68);

}  // namespace fovea::test
