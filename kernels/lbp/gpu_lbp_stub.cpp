// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/lbp/gpu_lbp.hpp"

namespace fovea::cuda_backend {

class GpuLbp::Implementation {};

GpuLbp::GpuLbp(const Device& device, Size, const std::vector<GpuLbpFeature>&, std::size_t, std::size_t) {
    throw built_without_cuda("cannot count local binary patterns on " + device.name());
}
GpuLbp::~GpuLbp() = default;

void GpuLbp::compute(const std::uint8_t*, std::size_t, std::uint16_t*) const {}

}  // namespace fovea::cuda_backend
