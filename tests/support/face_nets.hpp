#pragma once

#include <array>
#include <cstdint>

#include "kernels/face_net/face_net.hpp"

namespace fovea::test {

/// A network of random weights whose scales spread the results over the whole range of bytes, and beyond it.
/// \param channels of stride 2, of stride 4 and behind
FaceNet random_face_net(std::array<int, 3> channels, std::uint32_t seed);

}  // namespace fovea::test
