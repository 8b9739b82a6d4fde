#pragma once

#include <cuda_runtime.h>

// Kernels that follow each other on a stream without the pause between them (programmatic dependent launch,
// compute capability 9.0 on; elsewhere they follow each other as usual): see launch_chained().
namespace fovea::cuda_backend {

/// Lets the next kernel of the chain begin, up to its wait_for_kernel_before(), as soon as all blocks of this
/// kernel have called this, and multiprocessors are free.
__device__ __forceinline__ void let_next_kernel_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Waits until the kernel before is done and its results can be read. Every kernel of a chain must call it,
/// in all threads, before it reads or writes what another kernel writes or reads.
__device__ __forceinline__ void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace fovea::cuda_backend
