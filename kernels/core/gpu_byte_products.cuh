#pragma once

#include <cstdint>

#include <cuda_runtime.h>

// Products of bytes on tensor cores, from compute capability 7.5 on.
namespace fovea::cuda_backend {

/// Adds the product of 16 × 32 bytes and 32 × 8 bytes to 16 × 8 sums, with or without signs of either:
/// sums = start + product; both may be the same.
/// Lane l has of the first matrix rows l / 4 and 8 more, in bytes 4 (l % 4) and 16 more, four bytes each; of
/// the second, column l / 4 in the same bytes; of the sums, rows l / 4 and 8 more, columns 2 (l % 4) and
/// the next.
template <bool a_signed, bool b_signed>
__device__ __forceinline__ void byte_products(int (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                              std::uint32_t b1, const int (&start)[4]) {
#if !defined(__CUDACC__)
    for (int i = 0; i < 4; ++i) sums[i] = start[i];
    // The stand-in that tests have for CUDA.
    thread_calls.add_byte_products(sums, a, b0, b1, a_signed, b_signed);
#else
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define FOVEA_BYTE_PRODUCTS(A, B)                                                               \
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32." A "." B                               \
                 ".s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"     \
                 : "=r"(sums[0]), "=r"(sums[1]), "=r"(sums[2]), "=r"(sums[3])                   \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(start[0]), \
                   "r"(start[1]), "r"(start[2]), "r"(start[3]))
#else
    // Turing has instructions of a quarter of the size, whose lanes have the same parts.
#define FOVEA_BYTE_PRODUCTS(A, B)                                                                           \
    for (int i = 0; i < 4; ++i) sums[i] = start[i];                                                         \
    for (int part = 0; part < 4; ++part) {                                                                  \
        asm volatile("mma.sync.aligned.m8n8k16.row.col.s32." A "." B ".s32 {%0, %1}, {%2}, {%3}, {%0, %1};" \
                     : "+r"(sums[part % 2 * 2]), "+r"(sums[part % 2 * 2 + 1])                               \
                     : "r"(a[part]), "r"(part < 2 ? b0 : b1));                                              \
    }
#endif
    if constexpr (a_signed && b_signed) {
        FOVEA_BYTE_PRODUCTS("s8", "s8");
    } else if constexpr (a_signed) {
        FOVEA_BYTE_PRODUCTS("s8", "u8");
    } else if constexpr (b_signed) {
        FOVEA_BYTE_PRODUCTS("u8", "s8");
    } else {
        FOVEA_BYTE_PRODUCTS("u8", "u8");
    }
#undef FOVEA_BYTE_PRODUCTS
#endif
}

/// byte_products() that goes on with its sums.
template <bool a_signed, bool b_signed>
__device__ __forceinline__ void add_byte_products(int (&sums)[4], const std::uint32_t (&a)[4],
                                                  std::uint32_t b0, std::uint32_t b1) {
    byte_products<a_signed, b_signed>(sums, a, b0, b1, sums);
}

}  // namespace fovea::cuda_backend
