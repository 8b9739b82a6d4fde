#pragma once

#include <cstddef>

#include <cuda_runtime.h>

#include "kernels/core/gpu_chain.cuh"
#include "kernels/core/gpu_launch.cuh"

namespace fovea::cuda_backend {

/// True if a kernel was compiled so that wait_for_kernel_before() waits. \throws DeviceError
inline bool can_be_chained(int device, const void* kernel) {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), device, "asking for a kernel's properties");
    constexpr int compute_9_0 = 90;
    return attributes.ptxVersion >= compute_9_0;
}

/// Launches a kernel that calls wait_for_kernel_before(). \param is_chained can_be_chained(); false: the
/// kernel begins when the one before is done. Other parameters as launch_kernel. \throws DeviceError if the
/// launch is refused.
template <class... Parameters, class... Arguments>
void launch_chained(const Device& device, bool is_chained, const char* doing, dim3 blocks, dim3 threads,
                    std::size_t shared_bytes, void (*kernel)(Parameters...), const Arguments&... arguments) {
    check(cudaSetDevice(device.index()), device.index(), doing);
    cudaLaunchAttribute may_begin{};
    may_begin.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    may_begin.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = static_cast<cudaStream_t>(device.stream());
    config.attrs = &may_begin;
    config.numAttrs = is_chained ? 1 : 0;
    check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), device.index(), doing);
}

}  // namespace fovea::cuda_backend
