// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/face_normalise/gpu_face_normalise.hpp"

namespace fovea::cuda_backend {

void normalise_faces(const Device& device, std::uint8_t*, std::size_t, Size, const FaceNormalisation&) {
    throw built_without_cuda("cannot normalise faces on " + device.name());
}

}  // namespace fovea::cuda_backend
