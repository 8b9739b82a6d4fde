// The stand-in of a build without CUDA.

#include <string>

#include "kernels/core/device.hpp"
#include "kernels/core/gpu_device.hpp"
#include "kernels/landmark/gpu_landmarks.hpp"

namespace fovea::cuda_backend {

class GpuLandmarks::Implementation {};

GpuLandmarks::GpuLandmarks(const LandmarkModel&, const LandmarkTables&, int device) {
    throw built_without_cuda("cannot use cuda:" + std::to_string(device));
}
GpuLandmarks::~GpuLandmarks() = default;

int GpuLandmarks::device() const {
    return 0;
}
int GpuLandmarks::points() const {
    return 0;
}
std::uint64_t GpuLandmarks::identity() const {
    return 0;
}
void GpuLandmarks::find(const ImageBatch&, std::span<const LandmarkTask>, std::int32_t*) {}
std::vector<double> GpuLandmarks::measure(std::span<const ImageView<const std::uint8_t>>,
                                          std::span<const LandmarkTask>, int) {
    return {};
}
void GpuLandmarks::enqueue_tasks(const Device&, const DetectedFaces&, const ImageView<const std::uint8_t>*,
                                 LandmarkTask*, unsigned*) const {}
void GpuLandmarks::enqueue(const Device&, const ImageView<const std::uint8_t>*, const LandmarkTask*,
                           const unsigned*, unsigned, std::int32_t*) const {}

}  // namespace fovea::cuda_backend
