#pragma once

#include "kernels/core/gpu_launch.cuh"

namespace fovea::cuda_backend {

/// The number of blocks of a kernel that fit on one multiprocessor of a GPU together; 0 if none does. Raises
/// the kernel's limit of dynamic shared memory to the GPU's: the limit belongs to the kernel, so no caller
/// may lower it for another. \param shared_bytes dynamic shared memory of a block. \throws DeviceError.
inline int blocks_per_multiprocessor(int gpu, const void* kernel, int threads, int shared_bytes) {
    check(cudaSetDevice(gpu), gpu, "selecting the device");
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), gpu, "asking for a kernel's attributes");
    int most = 0;
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu), gpu,
          "reading the device's limits");
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               most - static_cast<int>(attributes.sharedSizeBytes)),
          gpu, "asking for shared memory");
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes), gpu,
          "asking for the occupancy");
    return blocks;
}

}  // namespace fovea::cuda_backend
