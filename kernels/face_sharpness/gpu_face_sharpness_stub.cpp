// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/face_sharpness/gpu_face_sharpness.hpp"

namespace fovea::cuda_backend {

void sum_laplacians(const Device& device, const ImageView<const std::uint8_t>*, const SharpnessTask*,
                    std::size_t, LaplacianSums*) {
    throw built_without_cuda("cannot measure faces on " + device.name());
}

}  // namespace fovea::cuda_backend
