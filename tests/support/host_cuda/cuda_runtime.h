#pragma once

// As much of CUDA as lets a kernel run on the CPU, by a block of one thread, so that its arithmetic is tested
// where there is no GPU. Kernels whose threads share work by loops over blockDim run so; those that need
// warps do not.

#include <algorithm>
#include <cmath>
#include <cstdint>

#define __host__
#define __device__
#define __global__
#define __shared__
#define __launch_bounds__(threads)

struct uint4 {
    std::uint32_t x, y, z, w;
};
struct int4 {
    int x, y, z, w;
};
struct float4 {
    float x, y, z, w;
};
struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

inline uint4 make_uint4(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
    return {x, y, z, w};
}

inline thread_local dim3 threadIdx{0, 0, 0}, blockIdx{0, 0, 0}, blockDim, gridDim;

inline void __syncthreads() {}
inline unsigned atomicAdd(unsigned* value, unsigned more) {
    const unsigned before = *value;
    *value += more;
    return before;
}

using std::max;
