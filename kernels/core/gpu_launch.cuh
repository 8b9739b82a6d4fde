#pragma once

#include <cstddef>
#include <string>

#include <cuda_runtime.h>

#include "kernels/core/device.hpp"

namespace fovea::cuda_backend {

/// \throws DeviceError, which names the device, `doing` and CUDA's reason, unless `status` is cudaSuccess.
inline void check(cudaError_t status, int device, const char* doing) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // or a later, unrelated launch would report it again
    throw DeviceError("cuda:" + std::to_string(device) + " failed in " + doing + ": " +
                      cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

/// Launches `kernel` on the device's stream. All kernels start here, except where the launch itself is
/// measured. \param doing names the work in errors. \throws DeviceError if the launch is refused.
template <class Kernel, class... Arguments>
void launch_kernel(const Device& device, const char* doing, dim3 blocks, dim3 threads,
                   std::size_t shared_bytes, Kernel kernel, const Arguments&... arguments) {
    check(cudaSetDevice(device.index()), device.index(), doing);
    kernel<<<blocks, threads, shared_bytes, static_cast<cudaStream_t>(device.stream())>>>(arguments...);
    check(cudaGetLastError(), device.index(), doing);
}

/// The element of a width × height grid that a thread of launch_2d computes; it may lie outside the grid.
struct GridPosition {
    int x;
    int y;
};

constexpr int grid_block_width = 32;
constexpr int grid_block_height = 8;

__device__ inline GridPosition grid_position(int width) {
    // Blocks are numbered row by row in x alone: the other dimensions of a grid end at 65,535 blocks.
    const unsigned columns = (width + grid_block_width - 1) / grid_block_width;
    return {static_cast<int>(blockIdx.x % columns * grid_block_width + threadIdx.x),
            static_cast<int>(blockIdx.x / columns * grid_block_height + threadIdx.y)};
}

/// Launches `kernel` with at least one thread for each (x, y) of a width × height grid. The kernel asks
/// grid_position(width) for its element and checks that it lies inside. Other parameters as launch_kernel.
template <class Kernel, class... Arguments>
void launch_2d(const Device& device, const char* doing, int width, int height, Kernel kernel,
               const Arguments&... arguments) {
    const unsigned columns = (width + grid_block_width - 1) / grid_block_width;
    const unsigned rows = (height + grid_block_height - 1) / grid_block_height;
    launch_kernel(device, doing, columns * rows, dim3(grid_block_width, grid_block_height), 0, kernel,
                  arguments...);
}

}  // namespace fovea::cuda_backend
