// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/optical_flow/gpu_good_features.hpp"

namespace fovea::cuda_backend {

class GpuGoodFeatures::Implementation {};

GpuGoodFeatures::GpuGoodFeatures(const Device& device) {
    throw built_without_cuda("cannot find corners on " + device.name());
}
GpuGoodFeatures::~GpuGoodFeatures() = default;

std::vector<FlowPoint> GpuGoodFeatures::find(const ImageView<const std::uint8_t>&, ImageMemory,
                                             const GoodFeaturesOptions&,
                                             const ImageView<const std::uint8_t>&) {
    return {};
}
std::vector<float> GpuGoodFeatures::min_eigenvalues(const ImageView<const std::uint8_t>&, ImageMemory) {
    return {};
}

}  // namespace fovea::cuda_backend
