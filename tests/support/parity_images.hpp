#pragma once

#include <string>
#include <vector>

#include "lib/image/formats/image.hpp"

namespace fovea::test {

struct NamedImage {
    std::string name;
    GreyImage image;
};

/// The images that detectors are held against a reference on: noise of several textures and sizes, down to
/// one pixel, then the first photographs of debian_photographs() at odd sizes. Missing photographs are
/// reported as not run.
std::vector<NamedImage> parity_images();

}  // namespace fovea::test
