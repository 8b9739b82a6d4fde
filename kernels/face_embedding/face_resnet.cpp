#include "kernels/face_embedding/face_resnet.hpp"

#include "kernels/face_embedding/cpu_face_resnet.hpp"
#include "kernels/face_embedding/gpu_face_resnet.hpp"

namespace fovea {
namespace {

std::unique_ptr<const FaceResnetBackend> make_backend(const Device& device,
                                                      const FaceResnetWeights& weights) {
    check_face_resnet(weights);
    if (device.is_cuda()) return cuda_backend::make_face_resnet(device, weights);
    return make_cpu_face_resnet(weights);
}

}  // namespace

FaceResnet::FaceResnet(const Device& device, const FaceResnetWeights& weights)
    : backend_(make_backend(device, weights)) {}

void FaceResnet::describe(const std::uint8_t* faces, std::size_t count, float* vectors) const {
    if (count > 0) backend_->describe(faces, count, vectors);
}

}  // namespace fovea
