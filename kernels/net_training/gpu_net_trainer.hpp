#pragma once

#include <cstddef>
#include <memory>

#include "kernels/net_training/net_trainer.hpp"

namespace fovea::cuda_backend {

/// Trains on a GPU. The same GPU gives the same numbers each time. \param crops of a batch, at least 1
/// \throws std::bad_alloc; DeviceError if there is no such GPU or the program was built without CUDA.
std::unique_ptr<NetTrainer> make_gpu_net_trainer(const NetPlan& plan, std::size_t crops, int gpu);

}  // namespace fovea::cuda_backend
