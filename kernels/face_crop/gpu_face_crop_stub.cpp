// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/face_crop/gpu_face_crop.hpp"

namespace fovea::cuda_backend {

void crop_faces(const Device& device, const ImageView<const std::uint8_t>*, const CropTask*, std::size_t,
                Size, std::uint8_t*) {
    throw built_without_cuda("cannot crop faces on " + device.name());
}
void make_crop_tasks(const Device& device, const LandmarkTask*, const std::int32_t*, std::size_t, int, int,
                     const CropGeometry&, CropTask*) {
    throw built_without_cuda("cannot crop faces on " + device.name());
}

}  // namespace fovea::cuda_backend
