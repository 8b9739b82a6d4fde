#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/device.hpp"

namespace fovea::cuda_backend {

/// Distances of queries, as bits that order as the distances do, and the vectors that they belong to.
struct NearestInput {
    const unsigned long long* keys = nullptr;  ///< [query][stride]
    const std::uint32_t* indices = nullptr;    ///< [query][stride]; nullptr: the position
    std::size_t stride = 0;
    const std::uint32_t* counts = nullptr;  ///< [query]: number of keys; nullptr: `count` for all queries
    std::uint32_t count = 0;                ///< the most keys of a query

    __device__ std::uint32_t count_of(std::uint32_t query) const {
        return counts == nullptr ? count : min(count, counts[query]);
    }
    __device__ unsigned long long key(std::uint32_t query, std::uint32_t i) const {
        return keys[query * stride + i];
    }
    __device__ std::uint32_t index(std::uint32_t query, std::uint32_t i) const {
        return indices == nullptr ? i : indices[query * stride + i];
    }
};

struct NearestOutput {
    unsigned long long* keys = nullptr;  ///< [query][stride]
    std::uint32_t* indices = nullptr;
    std::size_t stride = 0;
};

/// Fills places where there are fewer vectors than asked for; it is behind every vector.
constexpr unsigned long long no_key = ~0ULL;
constexpr std::uint32_t no_index = ~0U;

struct NearestPair {
    unsigned long long key = no_key;
    std::uint32_t index = no_index;
};

__device__ inline bool is_before(const NearestPair& a, const NearestPair& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
}

/// Finds the k nearest of each query, in no order, for any k up to each query's count: queued on the device's
/// stream. \param out for [query][out.stride], in the device's memory, k pairs each. \throws DeviceError.
void select_nearest(const Device& device, const NearestInput& in, std::size_t queries, std::uint32_t k,
                    const NearestOutput& out);

}  // namespace fovea::cuda_backend
