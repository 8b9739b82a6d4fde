// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/face_net/gpu_face_net.hpp"

namespace fovea::cuda_backend {

std::unique_ptr<GpuFaceNet> make_gpu_face_net(const FaceNet&, int gpu, GpuShare) {
    throw built_without_cuda("cannot run a face network on cuda:" + std::to_string(gpu));
}

}  // namespace fovea::cuda_backend
