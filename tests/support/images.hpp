#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/image/formats/image.hpp"

namespace fovea::test {

/// Uniform noise smoothed by a box of the given radius and stretched to 0...255: texture at the scale of the
/// radius, on which cascades let many windows through their first stages. The same bytes everywhere.
GreyImage smooth_noise(int width, int height, int radius, std::uint32_t seed);

/// Unsmoothed noise.
GreyImage noise(int width, int height, std::uint32_t seed);

/// The photographs that Debian's package libdlib19.1 brings; empty where documentation is stripped.
std::vector<std::string> debian_photographs();

/// A binary PGM.
std::string pgm_of(const GreyImage& image);

}  // namespace fovea::test
