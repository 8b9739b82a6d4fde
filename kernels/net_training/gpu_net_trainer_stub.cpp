// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/net_training/gpu_net_trainer.hpp"

namespace fovea::cuda_backend {

std::unique_ptr<NetTrainer> make_gpu_net_trainer(const NetPlan&, std::size_t, int gpu) {
    throw built_without_cuda("cannot train a network on cuda:" + std::to_string(gpu));
}

}  // namespace fovea::cuda_backend
