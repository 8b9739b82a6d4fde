#pragma once

#include <cstdint>
#include <vector>

#include "kernels/face_net/face_net.hpp"
#include "kernels/net_training/net_trainer.hpp"
#include "lib/train/face_net/crop_drawer.hpp"
#include "lib/train/face_net/float_net.hpp"

namespace fovea {

/// The network with 8-bit weights and maps. Batch normalisation goes into weights and biases. Scales are
/// chosen by the maps of the last forward(false) of `net`; its images should be like the images in use.
/// \throws Error if a sum could leave the range of face_net_sum_limit.
FaceNet quantised(const FloatNet& net);

/// The same for a network as a training has it. Scales are chosen by crops of the photographs with faces, of
/// which there must be one. \param seed of the training
FaceNet quantised(const NetPlan& plan, const NetState& state, const std::vector<PhotographSource>& sources,
                  const CropSettings& crops, std::uint64_t seed);

}  // namespace fovea
