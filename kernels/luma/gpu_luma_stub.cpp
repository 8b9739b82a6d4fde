// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/luma/gpu_luma.hpp"

namespace fovea::cuda_backend {

void luma_to_grey(const Device& device, std::span<const LumaTask>) {
    throw built_without_cuda("cannot make grey images of luma on " + device.name());
}

}  // namespace fovea::cuda_backend
