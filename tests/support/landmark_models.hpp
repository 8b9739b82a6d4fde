#pragma once

#include <cstddef>
#include <cstdint>

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

/// A model with random shape, pixels, splits and leaves of plausible sizes: a few hundredths of the box in all. The same
/// on every machine.
LandmarkModel random_landmark_model(const LandmarkModelShape& shape, std::uint32_t seed);

}  // namespace fovea::test
