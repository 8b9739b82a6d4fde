#pragma once

#include <cstdint>

#include <cuda_runtime.h>

// Products of numbers of half precision on tensor cores, from compute capability 7.5 on.
namespace fovea::cuda_backend {

/// Adds the product of 16 × 16 and 16 × 8 numbers of half precision to 16 × 8 sums of single precision.
/// Lane l has of the first matrix rows l / 4 and 8 more, columns 2 (l % 4) and the next, and the same 8
/// columns further; of the second, column l / 4, rows 2 (l % 4) and the next, and 8 more; of the sums, rows
/// l / 4 and 8 more, columns 2 (l % 4) and the next.
__device__ __forceinline__ void add_half_products(float (&sums)[4], const std::uint32_t (&a)[4],
                                                  std::uint32_t b0, std::uint32_t b1) {
#if !defined(__CUDACC__)
    thread_calls.add_half_products(sums, a, b0, b1);  // of the stand-in that tests have for CUDA
#elif !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    // Turing has an instruction of half the size, whose lanes have the same parts.
#define FOVEA_HALF_PRODUCTS(A0, A1, B)                                                                     \
    asm volatile(                                                                                          \
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, " \
        "%3};"                                                                                             \
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                                       \
        : "r"(A0), "r"(A1), "r"(B))
    FOVEA_HALF_PRODUCTS(a[0], a[1], b0);
    FOVEA_HALF_PRODUCTS(a[2], a[3], b1);
#undef FOVEA_HALF_PRODUCTS
#endif
}

}  // namespace fovea::cuda_backend
