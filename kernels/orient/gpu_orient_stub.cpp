// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/orient/gpu_orient.hpp"

namespace fovea::cuda_backend {

void orient_images(const Device& device, std::span<const OrientTask>) {
    throw built_without_cuda("cannot turn images on " + device.name());
}

}  // namespace fovea::cuda_backend
