// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/resize/gpu_resize.hpp"

namespace fovea::cuda_backend {

void resize_linear(const Device& device, ImageView<const std::uint8_t>, ImageView<std::uint8_t>) {
    throw built_without_cuda("cannot resize on " + device.name());
}

}  // namespace fovea::cuda_backend
