#pragma once

#include <memory>

#include "kernels/engine/gpu_cascade.hpp"
#include "kernels/mct/mct_cascade.hpp"

namespace fovea::cuda_backend {

/// MCT cascades: octaves, codes of all levels, scan, a launch each.
/// \throws std::invalid_argument if the cascade cannot run on this GPU; DeviceError.
std::unique_ptr<GpuCascade> make_mct_model(const MctCascade& cascade, int device);

}  // namespace fovea::cuda_backend
