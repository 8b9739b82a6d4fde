#pragma once

#include "kernels/face_sharpness/face_sharpness.hpp"

namespace fovea::cuda_backend {

/// The launch behind fovea::sum_laplacians; all memory lies on the device.
void sum_laplacians(const Device& device, const ImageView<const std::uint8_t>* images,
                    const SharpnessTask* tasks, std::size_t count, LaplacianSums* sums);

}  // namespace fovea::cuda_backend
