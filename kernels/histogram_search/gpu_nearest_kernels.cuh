#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/gpu_chain.cuh"
#include "kernels/histogram_search/gpu_tiles.cuh"
#include "kernels/nearest/gpu_nearest.cuh"

namespace fovea::cuda_backend {

constexpr int nearest_threads = 256;
/// Up to so many neighbours are taken one after the other.
constexpr std::uint32_t max_nearest_by_turns = 8;
constexpr int nearest_of_thread = 8;
constexpr int nearest_of_block = nearest_threads * nearest_of_thread;

/// Sums of terms of queries with all vectors of a gallery; distances are computed from them as they are read.
struct SumInput {
    const unsigned long long* sums = nullptr;  ///< [query][stride]
    std::size_t stride = 0;
    const std::int64_t* query_own = nullptr;
    GalleryView gallery;
    HistogramDistance distance = HistogramDistance::chi_square;
    int bits = 0;

    __device__ std::uint32_t count_of(std::uint32_t) const { return gallery.size; }
    __device__ unsigned long long key(std::uint32_t query, std::uint32_t i) const {
        const auto terms = static_cast<std::int64_t>(sums[query * stride + i]);
        // No distance is negative, so its bits order as it does.
        return static_cast<unsigned long long>(
            __double_as_longlong(distance_of_terms(distance, bits, terms, query_own[query], gallery.own(i))));
    }
    __device__ std::uint32_t index(std::uint32_t, std::uint32_t i) const { return i; }
};

/// Gives all threads of a block the least pair of its threads. \param shared [warp].
__device__ inline NearestPair min_of_block(NearestPair mine, NearestPair* shared) {
    for (int step = 16; step > 0; step /= 2) {
        const NearestPair other{__shfl_xor_sync(~0U, mine.key, step), __shfl_xor_sync(~0U, mine.index, step)};
        if (is_before(other, mine)) mine = other;
    }
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = mine;
    __syncthreads();
    NearestPair least = shared[0];
    for (int w = 1; w < nearest_threads / 32; ++w) {
        if (is_before(shared[w], least)) least = shared[w];
    }
    __syncthreads();
    return least;
}

/// Takes the k nearest of the pairs of a block's threads, in order, and removes them from `pairs`.
/// \param take receives (turn, pair), in thread 0.
template <class Take>
__device__ void nearest_of_threads(NearestPair (&pairs)[nearest_of_thread], std::uint32_t k,
                                   NearestPair* shared, const Take& take) {
    for (std::uint32_t turn = 0; turn < k; ++turn) {
        NearestPair mine = pairs[0];
#pragma unroll
        for (int i = 1; i < nearest_of_thread; ++i) {
            if (is_before(pairs[i], mine)) mine = pairs[i];
        }
        const NearestPair least = min_of_block(mine, shared);
#pragma unroll
        for (int i = 0; i < nearest_of_thread; ++i) {
            if (pairs[i].key == least.key && pairs[i].index == least.index) pairs[i] = {};
        }
        if (threadIdx.x == 0) take(turn, least);
    }
}

/// Finds the k <= max_nearest_by_turns nearest of a query, in order. Block (x, y) has part x of query y,
/// nearest_of_block keys; the last block that finishes joins the parts.
/// \param parts receives [query][part · k] pairs. \param counters [query]: 0 before and after.
template <class Input>
__global__ void __launch_bounds__(nearest_threads)
    nearest_by_turns_kernel(Input in, std::uint32_t k, NearestOutput parts, unsigned* counters,
                            NearestOutput out) {
    __shared__ NearestPair shared[nearest_threads / 32];
    __shared__ NearestPair best[max_nearest_by_turns];
    __shared__ bool is_last;
    wait_for_kernel_before();
    const std::uint32_t query = blockIdx.y, count = in.count_of(query);
    const auto write = [&](const NearestOutput& to, std::uint32_t first) {
        return [&to, query, first](std::uint32_t turn, const NearestPair& pair) {
            to.keys[query * to.stride + first + turn] = pair.key;
            to.indices[query * to.stride + first + turn] = pair.index;
        };
    };
    NearestPair pairs[nearest_of_thread];
#pragma unroll
    for (int i = 0; i < nearest_of_thread; ++i) {
        const std::uint32_t at = blockIdx.x * nearest_of_block + i * nearest_threads + threadIdx.x;
        if (at < count) pairs[i] = {in.key(query, at), in.index(query, at)};
    }
    if (gridDim.x == 1) {
        nearest_of_threads(pairs, k, shared, write(out, 0));
        return;
    }
    nearest_of_threads(pairs, k, shared, write(parts, blockIdx.x * k));
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicInc(counters + query, gridDim.x - 1) == gridDim.x - 1;
    }
    if (threadIdx.x < k) best[threadIdx.x] = {};
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    // A thread takes one pair less, to leave room for the best so far.
    constexpr std::uint32_t at_once = nearest_of_block - nearest_threads;
    const std::uint32_t all = gridDim.x * k;
    for (std::uint32_t first = 0; first < all; first += at_once) {
#pragma unroll
        for (int i = 0; i < nearest_of_thread - 1; ++i) {
            const std::uint32_t at = first + i * nearest_threads + threadIdx.x;
            pairs[i] = {};
            if (at < all) {
                pairs[i] = {__ldcg(parts.keys + query * parts.stride + at),
                            __ldcg(parts.indices + query * parts.stride + at)};
            }
        }
        pairs[nearest_of_thread - 1] = threadIdx.x < k ? best[threadIdx.x] : NearestPair{};
        __syncthreads();
        nearest_of_threads(pairs, k, shared,
                           [&](std::uint32_t turn, const NearestPair& pair) { best[turn] = pair; });
        __syncthreads();
    }
    if (threadIdx.x < k) write(out, 0)(threadIdx.x, best[threadIdx.x]);
}

/// Computes all keys of queries: one thread for each key, one row of blocks for each query.
/// \param keys may be the memory of the sums.
__global__ void __launch_bounds__(nearest_threads) keys_kernel(SumInput in, unsigned long long* keys) {
    const std::uint32_t i = blockIdx.x * nearest_threads + threadIdx.x;
    if (i < in.gallery.size) keys[blockIdx.y * in.stride + i] = in.key(blockIdx.y, i);
}

}  // namespace fovea::cuda_backend
