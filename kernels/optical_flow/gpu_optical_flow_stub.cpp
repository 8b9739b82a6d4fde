// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/optical_flow/gpu_optical_flow.hpp"

namespace fovea::cuda_backend {

class GpuFlowPyramid::Implementation {};

GpuFlowPyramid::GpuFlowPyramid(const Device& device) {
    throw built_without_cuda("cannot follow points on " + device.name());
}
GpuFlowPyramid::~GpuFlowPyramid() = default;

void GpuFlowPyramid::build(const ImageView<const std::uint8_t>&, ImageMemory, Size, int) {}

class GpuOpticalFlow::Implementation {};

GpuOpticalFlow::GpuOpticalFlow(const Device& device) {
    throw built_without_cuda("cannot follow points on " + device.name());
}
GpuOpticalFlow::~GpuOpticalFlow() = default;

void GpuOpticalFlow::add_image(const ImageView<const std::uint8_t>&, ImageMemory, Size, int) {}
void GpuOpticalFlow::follow(std::span<const FlowPoint>, std::span<FlowPoint>, std::span<std::uint8_t>,
                            std::span<float>, const FlowOptions&, std::span<FlowPoint>,
                            std::span<std::uint8_t>) {}
void GpuOpticalFlow::follow(std::span<const GpuFlowPair>, std::span<const FlowPoint>, std::span<FlowPoint>,
                            std::span<std::uint8_t>, const FlowOptions&, std::span<FlowPoint>,
                            std::span<std::uint8_t>) {}
void GpuOpticalFlow::enqueue(const GpuFlowPoints&, const FlowOptions&) {}
std::vector<double> GpuOpticalFlow::measure(const ImageView<const std::uint8_t>&, int,
                                            std::span<const FlowPoint>, bool, const FlowOptions&, int) {
    return {};
}

}  // namespace fovea::cuda_backend
