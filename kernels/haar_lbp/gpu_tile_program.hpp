#pragma once

#include <memory>

#include "kernels/engine/engine.hpp"
#include "kernels/engine/gpu_cascade.hpp"
#include "kernels/haar_lbp/cascade.hpp"

namespace fovea::cuda_backend {

/// Haar and LBP cascades: one kernel that takes tile by tile from resizing to the last stage.
/// \throws std::invalid_argument if the cascade cannot run on this GPU; DeviceError.
std::unique_ptr<GpuCascade> make_tile_model(const Cascade& cascade, int device, const EngineOptions& variant);

}  // namespace fovea::cuda_backend
