#pragma once

#include <string>

#include <cuda_runtime.h>

#include "kernels/device.hpp"

namespace fovea::cuda_backend {

/// \throws DeviceError naming the device, what was being done and CUDA's reason, unless `status` is
/// cudaSuccess.
inline void check(cudaError_t status, int device, const char* doing) {
    if (status == cudaSuccess) return;
    throw DeviceError("cuda:" + std::to_string(device) + " failed in " + doing + ": " +
                      cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

/// Launches `kernel` with one thread for each (x, y) of a width × height grid (rounded up to blocks: the
/// kernel checks its bounds) on the device's stream. \throws DeviceError if the launch is refused.
template <class Kernel, class... Arguments>
void launch_2d(const Device& device, const char* name, int width, int height, Kernel kernel,
               const Arguments&... arguments) {
    check(cudaSetDevice(device.index()), device.index(), name);
    const dim3 block(32, 8);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    kernel<<<grid, block, 0, static_cast<cudaStream_t>(device.stream())>>>(arguments...);
    check(cudaGetLastError(), device.index(), name);
}

}  // namespace fovea::cuda_backend
