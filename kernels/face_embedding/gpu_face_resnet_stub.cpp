// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/face_embedding/gpu_face_resnet.hpp"

namespace fovea::cuda_backend {

std::unique_ptr<const FaceResnetBackend> make_face_resnet(const Device& device, const FaceResnetWeights&) {
    throw built_without_cuda("cannot describe faces on " + device.name());
}
void round_vectors(const Device& device, const float*, const float*, std::size_t, std::uint16_t*) {
    throw built_without_cuda("cannot round vectors on " + device.name());
}

}  // namespace fovea::cuda_backend
