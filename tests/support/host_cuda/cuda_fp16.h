#pragma once

// As much of CUDA's numbers of half precision as kernels use that run on the CPU.

#include <cmath>
#include <cstdint>
#include <limits>

struct __half {
    std::uint16_t bits = 0;
};

inline std::uint16_t __half_as_ushort(__half half) {
    return half.bits;
}
inline __half __ushort_as_half(std::uint16_t bits) {
    return {bits};
}

inline float __half2float(__half half) {
    const int exponent = half.bits >> 10 & 31, mantissa = half.bits & 1023;
    const float size = exponent == 31  ? std::numeric_limits<float>::infinity()
                       : exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                       : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
    return half.bits >> 15 != 0 ? -size : size;
}

/// To the nearest, of two equally near the even one.
inline __half __float2half_rn(float value) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const float size = std::abs(value);
    if (size >= 65520) return {static_cast<std::uint16_t>(sign | 0x7C00)};
    // The carry of a mantissa that is rounded up belongs to the exponent.
    const int exponent = size < std::ldexp(1.0F, -14) ? -15 : std::ilogb(size);
    const auto mantissa = static_cast<int>(std::nearbyint(std::ldexp(size, exponent < -14 ? 24 : 10 - exponent)));
    const int bits = exponent < -14 ? mantissa : ((exponent + 15) << 10) + mantissa - 1024;
    return {static_cast<std::uint16_t>(sign | bits)};
}
