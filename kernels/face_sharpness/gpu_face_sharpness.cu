#include <algorithm>

#include "kernels/core/gpu_launch.cuh"
#include "kernels/face_sharpness/gpu_face_sharpness.hpp"
#include "kernels/face_sharpness/gpu_face_sharpness_kernel.cuh"

namespace fovea::cuda_backend {

void sum_laplacians(const Device& device, const ImageView<const std::uint8_t>* images,
                    const SharpnessTask* tasks, std::size_t count, LaplacianSums* sums) {
    constexpr std::size_t most = std::size_t{1} << 30;
    for (std::size_t first = 0; first < count; first += most) {
        const auto faces = static_cast<unsigned>(std::min(most, count - first));
        launch_kernel(device, "measuring the sharpness of faces", faces, sharpness_threads,
                      sizeof(SharpnessBlock), laplacian_kernel, images, tasks + first, sums + first);
    }
}

}  // namespace fovea::cuda_backend
