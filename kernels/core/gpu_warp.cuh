#pragma once

#include <cstdint>

#include <cuda_runtime.h>

// Work that the threads of a warp do together, and the means by which threads of several blocks hand data on.
namespace fovea::cuda_backend {

inline constexpr unsigned all_lanes = 0xFFFFFFFFU;

/// Gives every lane the largest of the lanes' values. All lanes must call it.
__device__ __forceinline__ int warp_max(int value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(all_lanes, value);
#else
    for (int distance = 16; distance > 0; distance /= 2) {
        value = max(value, __shfl_xor_sync(all_lanes, value, distance));
    }
    return value;
#endif
}

/// Gives every lane the sum of the lanes' values. All lanes must call it.
__device__ __forceinline__ int warp_sum(int value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(all_lanes, value);
#else
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(all_lanes, value, distance);
    }
    return value;
#endif
}

/// Reads a word. The reader then sees everything that the word's writer wrote before its store_release().
__device__ __forceinline__ unsigned load_acquire(const unsigned* address) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

__device__ __forceinline__ void store_release(unsigned* address, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
/// copy_async() to an address within shared memory.
__device__ __forceinline__ void copy_async(unsigned target, const void* source) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(source) : "memory");
}
#endif

/// Copies 16 bytes from global to shared memory, both aligned to 16 bytes; does not wait where the GPU can
/// copy asynchronously (compute capability 8.0 on).
__device__ __forceinline__ void copy_async(void* target, const void* source) {
#if __CUDA_ARCH__ >= 800
    copy_async(static_cast<unsigned>(__cvta_generic_to_shared(target)), source);
#else
    *static_cast<uint4*>(target) = *static_cast<const uint4*>(source);
#endif
}

/// copy_async(), or zeros in the place of what is not there.
__device__ __forceinline__ void copy_async_or_clear(void* target, const void* source, bool is_there) {
#if __CUDA_ARCH__ >= 800
    const int bytes = is_there ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(target))),
                 "l"(source), "r"(bytes)
                 : "memory");
#else
    *static_cast<uint4*>(target) = is_there ? *static_cast<const uint4*>(source) : uint4{0, 0, 0, 0};
#endif
}

/// Gives each lane its part of four 8 × 8 matrices of 16-bit values in shared memory. \param shared where a
/// row of 16 bytes begins: lane l names row l % 8 of matrix l / 8. \param out of each matrix two neighbouring
/// values: row lane / 4, columns 2 (lane % 4) and the next.
__device__ __forceinline__ void load_matrices(std::uint32_t (&out)[4], std::uint32_t shared) {
#if defined(__CUDACC__)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(shared));
#else
    thread_calls.load_matrices(out, shared);  // of the stand-in that tests have for CUDA
#endif
}

/// Makes a group of the thread's own copies since the last call.
__device__ __forceinline__ void commit_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until all but the last `Groups` groups of the thread's own copies have arrived.
template <int Groups>
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

/// Waits until all of the thread's own copies have arrived.
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace fovea::cuda_backend
