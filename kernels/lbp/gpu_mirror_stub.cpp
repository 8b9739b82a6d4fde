// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/lbp/gpu_mirror.hpp"

namespace fovea::cuda_backend {

void mirror_faces(const Device& device, const std::uint8_t*, std::size_t, Size, std::uint8_t*) {
    throw built_without_cuda("cannot mirror faces on " + device.name());
}
void add_counts(const Device& device, std::uint16_t*, const std::uint16_t*, std::size_t) {
    throw built_without_cuda("cannot add counts on " + device.name());
}

}  // namespace fovea::cuda_backend
