#pragma once

// As much of CUDA as lets a kernel run on the CPU, so that its arithmetic is tested where there is no GPU:
// by a block of one thread, if its threads share work by loops over blockDim, or by one of many threads, which
// take turns (block_of_threads.hpp). Asynchronous copies are done at once.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define __host__
#define __device__
#define __global__
#define __shared__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))

struct uint4 {
    std::uint32_t x, y, z, w;
};
struct alignas(8) uint2 {
    std::uint32_t x, y;
};
struct int2 {
    int x, y;
};
struct int4 {
    int x, y, z, w;
};
struct char4 {
    signed char x, y, z, w;
};
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

inline uint4 make_uint4(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
    return {x, y, z, w};
}

inline uint2 make_uint2(std::uint32_t x, std::uint32_t y) {
    return {x, y};
}

inline float4 make_float4(float x, float y, float z, float w) {
    return {x, y, z, w};
}
template <class Value>
Value __ldg(const Value* place) {
    return *place;
}

inline thread_local dim3 threadIdx{0, 0, 0}, blockIdx{0, 0, 0}, blockDim, gridDim;

/// The calls by which a block of many threads serves them.
struct ThreadCalls {
    void (*synchronise)() = nullptr;  ///< the threads of the block
    bool (*any_of_block)(bool mine) = nullptr;
    std::uint64_t (*of_lane)(std::uint64_t mine, unsigned lane) = nullptr;  ///< of the same warp
    std::uint32_t (*ballot)(bool mine) = nullptr;
    void (*load_matrices)(std::uint32_t (&out)[4], std::uint32_t shared) = nullptr;
    void (*add_byte_products)(int (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1,
                              bool a_signed, bool b_signed) = nullptr;
    void (*add_half_products)(float (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                              std::uint32_t b1) = nullptr;
    const void* shared = nullptr;  ///< where shared memory begins
};
inline ThreadCalls thread_calls;

inline void __syncthreads() {
    if (thread_calls.synchronise != nullptr) thread_calls.synchronise();
}
inline int __syncthreads_or(int mine) {
    return thread_calls.any_of_block(mine != 0) ? 1 : 0;
}
inline void __syncwarp() {
    thread_calls.ballot(false);
}
inline std::uint32_t __ballot_sync(std::uint32_t, bool mine) {
    return thread_calls.ballot(mine);
}
template <class Value>
Value value_of_lane(Value mine, unsigned lane) {
    static_assert(sizeof(Value) <= sizeof(std::uint64_t));
    std::uint64_t word = 0;
    std::memcpy(&word, &mine, sizeof(Value));
    word = thread_calls.of_lane(word, lane);
    std::memcpy(&mine, &word, sizeof(Value));
    return mine;
}
template <class Value>
Value __shfl_xor_sync(std::uint32_t, Value mine, int lanes) {
    return value_of_lane(mine, (threadIdx.x % 32) ^ static_cast<unsigned>(lanes));
}
template <class Value>
Value __shfl_down_sync(std::uint32_t, Value mine, int lanes, int width) {
    const unsigned lane = threadIdx.x % 32, from = lane + static_cast<unsigned>(lanes);
    const auto group = static_cast<unsigned>(width);
    return value_of_lane(mine, from / group == lane / group ? from : lane);
}
inline std::size_t __cvta_generic_to_shared(const void* address) {
    return static_cast<std::size_t>(static_cast<const char*>(address) -
                                    static_cast<const char*>(thread_calls.shared));
}

inline int __popc(std::uint32_t word) {
    return std::popcount(word);
}
inline float __fmaf_rn(float a, float b, float c) {
    return std::fma(a, b, c);
}
inline long long __double_as_longlong(double value) {
    return std::bit_cast<long long>(value);
}
inline double __longlong_as_double(long long bits) {
    return std::bit_cast<double>(bits);
}
template <class Value>
Value atomicAdd(Value* value, Value more) {
    const Value before = *value;
    *value += more;
    return before;
}

inline void atomicMin(unsigned long long* value, unsigned long long other) {
    *value = std::min(*value, other);
}
inline void atomicMax(unsigned long long* value, unsigned long long other) {
    *value = std::max(*value, other);
}

using std::max;
using std::min;
