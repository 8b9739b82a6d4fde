#pragma once

#include <cstdint>

#include "kernels/face_net/face_net.hpp"

namespace fovea::test {

/// A network of random weights whose scales spread the results over the whole range of bytes, and beyond it.
FaceNet random_face_net(int stem_channels, int channels, std::uint32_t seed);

}  // namespace fovea::test
