// The stand-in of a build without CUDA.

#include "kernels/boost/gpu_feature_bins.hpp"
#include "kernels/core/gpu_device.hpp"

namespace fovea::cuda_backend {

std::unique_ptr<GpuFeatureBins> make_gpu_feature_bins(const Device& device, const SampleIntegrals&,
                                                      const WindowFeatures&, std::size_t) {
    throw built_without_cuda("cannot grow trees on " + device.name());
}

std::size_t memory_for_bins(const Device& device) {
    throw built_without_cuda("cannot grow trees on " + device.name());
}

}  // namespace fovea::cuda_backend
