#pragma once

#include <functional>
#include <memory>

#include "kernels/core/gpu_memory.cuh"

namespace fovea::cuda_backend {

/// Captures the work that enqueue() queues on the device's stream.
/// \throws std::bad_alloc; DeviceError; what enqueue() throws.
std::unique_ptr<GraphExecutable> capture_graph(const Device& device, const std::function<void()>& enqueue);

/// \throws std::bad_alloc if there is no memory for it; DeviceError.
void launch_graph(const Device& device, const GraphExecutable& graph);

}  // namespace fovea::cuda_backend
