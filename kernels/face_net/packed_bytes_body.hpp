#pragma once

#include <cstdint>

#include "kernels/core/view.hpp"
#include "kernels/face_net/face_net_body.hpp"

// Arithmetic on the four bytes of a word, for which GPUs have instructions. The CPU's versions are for tests.

namespace fovea {

/// sum + Σ a[i] · b[i] of four signed bytes in both.
FOVEA_HOST_DEVICE inline int dot_of_signed(std::uint32_t a, std::uint32_t b, int sum) {
#ifdef __CUDA_ARCH__
    return __dp4a(static_cast<int>(a), static_cast<int>(b), sum);
#else
    for (int i = 0; i < 4; ++i) {
        sum += static_cast<std::int8_t>(static_cast<std::uint8_t>(a >> (8 * i))) *
               static_cast<std::int8_t>(static_cast<std::uint8_t>(b >> (8 * i)));
    }
    return sum;
#endif
}

/// Chooses four of the bytes of a (0...3) and b (4...7): the lowest hexadecimal digit of `selector` names the
/// byte that becomes the lowest.
FOVEA_HOST_DEVICE inline std::uint32_t permuted_bytes(std::uint32_t a, std::uint32_t b,
                                                      std::uint32_t selector) {
#ifdef __CUDA_ARCH__
    return __byte_perm(a, b, selector);
#else
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    std::uint32_t result = 0;
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t from = selector >> (4 * i) & 7U;
        result |= static_cast<std::uint32_t>(both >> (8 * from) & 0xFFU) << (8 * i);
    }
    return result;
#endif
}

/// columns[c] = byte c of each of four words, the first word's lowest.
FOVEA_HOST_DEVICE inline void transpose_bytes(const std::uint32_t* words, std::uint32_t* columns) {
    const std::uint32_t low01 = permuted_bytes(words[0], words[1], 0x5140);   // a0 b0 a1 b1
    const std::uint32_t low23 = permuted_bytes(words[2], words[3], 0x5140);   // c0 d0 c1 d1
    const std::uint32_t high01 = permuted_bytes(words[0], words[1], 0x7362);  // a2 b2 a3 b3
    const std::uint32_t high23 = permuted_bytes(words[2], words[3], 0x7362);
    columns[0] = permuted_bytes(low01, low23, 0x5410);
    columns[1] = permuted_bytes(low01, low23, 0x7632);
    columns[2] = permuted_bytes(high01, high23, 0x5410);
    columns[3] = permuted_bytes(high01, high23, 0x7632);
}

/// Packs four values as bytes, `a` lowest; only the lowest byte of each counts.
FOVEA_HOST_DEVICE inline std::uint32_t packed_bytes(int a, int b, int c, int d) {
    return (static_cast<std::uint32_t>(a) & 0xFFU) | (static_cast<std::uint32_t>(b) & 0xFFU) << 8 |
           (static_cast<std::uint32_t>(c) & 0xFFU) << 16 | static_cast<std::uint32_t>(d) << 24;
}

/// Clamps four values to 0...255 and packs them, `a` lowest.
FOVEA_HOST_DEVICE inline std::uint32_t clamped_bytes(int a, int b, int c, int d) {
#ifdef __CUDA_ARCH__
    std::uint32_t result;
    asm("{\n"
        ".reg .b32 upper;\n"
        "cvt.pack.sat.u8.s32.b32 upper, %4, %3, 0;\n"
        "cvt.pack.sat.u8.s32.b32 %0, %2, %1, upper;\n"
        "}"
        : "=r"(result)
        : "r"(a), "r"(b), "r"(c), "r"(d));
    return result;
#else
    return packed_bytes(clamped(a, 0, 255), clamped(b, 0, 255), clamped(c, 0, 255), clamped(d, 0, 255));
#endif
}

/// Clamps four values to -128...127 and packs them, `a` lowest.
FOVEA_HOST_DEVICE inline std::uint32_t clamped_signed_bytes(int a, int b, int c, int d) {
#ifdef __CUDA_ARCH__
    std::uint32_t result;
    asm("{\n"
        ".reg .b32 upper;\n"
        "cvt.pack.sat.s8.s32.b32 upper, %4, %3, 0;\n"
        "cvt.pack.sat.s8.s32.b32 %0, %2, %1, upper;\n"
        "}"
        : "=r"(result)
        : "r"(a), "r"(b), "r"(c), "r"(d));
    return result;
#else
    return packed_bytes(clamped(a, -128, 127), clamped(b, -128, 127), clamped(c, -128, 127),
                        clamped(d, -128, 127));
#endif
}

}  // namespace fovea
