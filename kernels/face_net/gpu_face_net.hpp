#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/core/image_batch.hpp"
#include "kernels/face_net/face_net.hpp"

namespace fovea {

/// A face network ready to run on a GPU, for one thread at a time. It keeps the memory of the largest batch,
/// some 12 bytes for each pixel of an image.
class GpuFaceNet {
  public:
    virtual ~GpuFaceNet() = default;

    /// Finds the cells whose logit is at least `min_logit`: [image][size of face_net_sizes()][cell]. Each
    /// list equals, in every bit, the result of FaceNetRunner::run() for the image in this size.
    /// \param images in host memory or in the GPU's; at least 1×1.
    /// \throws std::invalid_argument if an image is empty; std::bad_alloc; DeviceError.
    virtual std::vector<std::vector<std::vector<NetCell>>> run(const ImageBatch& images, float min_logit) = 0;
};

namespace cuda_backend {

/// \throws std::invalid_argument if the network has a fault (find_fault); DeviceError if there is no such GPU
/// or the program was built without CUDA.
std::unique_ptr<GpuFaceNet> make_gpu_face_net(const FaceNet& net, int gpu, GpuShare share = GpuShare::all);

}  // namespace cuda_backend
}  // namespace fovea
