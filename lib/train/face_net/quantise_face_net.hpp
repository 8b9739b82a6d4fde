#pragma once

#include "kernels/face_net/face_net.hpp"
#include "lib/train/face_net/float_net.hpp"

namespace fovea {

/// The network with 8-bit weights and maps. Batch normalisation goes into weights and biases. Scales are
/// chosen by the maps of the last forward(false) of `net`; its images should be like the images in use.
/// \throws Error if a sum could leave the range of face_net_sum_limit.
FaceNet quantised(const FloatNet& net);

}  // namespace fovea
