#pragma once

#include "kernels/core/gpu_chain.cuh"
#include "kernels/histogram_search/gpu_tiles.cuh"

namespace fovea::cuda_backend {

constexpr int query_threads = 256;
constexpr int query_bins_of_thread = 4;
constexpr std::uint32_t query_bins_of_block = query_threads * query_bins_of_thread;

/// Own sums on their way: 0 before and after a launch.
struct OwnSums {
    /// [query]
    unsigned long long* sums = nullptr;
    /// [query]: blocks that have added theirs
    unsigned* counters = nullptr;
};

/// Prepares queries. Block (x, y) has part x of query y, query_bins_of_block packed bins, and clears as large
/// a part of its sums. The block that ends last writes the own sum.
/// \param prepared receives [query][packed_bins], prepared_count().
/// \param own receives [query], self_term().
/// \param sums [query][stride].
__global__ void __launch_bounds__(query_threads)
    prepare_queries_kernel(PlanView plan, const std::uint16_t* __restrict__ rows, std::uint32_t* prepared,
                           std::int64_t* own, OwnSums on_the_way, unsigned long long* sums,
                           std::size_t stride) {
    let_next_kernel_begin();
    __shared__ unsigned long long shared[query_threads / warp_lanes];
    const std::uint32_t query = blockIdx.y;
    for (std::size_t i = blockIdx.x * query_threads + threadIdx.x; i < stride;
         i += gridDim.x * query_threads) {
        sums[query * stride + i] = 0;
    }
    const std::uint16_t* const row = rows + static_cast<std::size_t>(query) * plan.layout_bins;
    std::uint32_t* const out = prepared + static_cast<std::size_t>(query) * plan.packed_bins;
    unsigned long long sum = 0;
#pragma unroll
    for (int i = 0; i < query_bins_of_thread; ++i) {
        const std::uint32_t packed = blockIdx.x * query_bins_of_block + i * query_threads + threadIdx.x;
        if (packed >= plan.packed_bins) continue;
        const std::uint32_t bin = plan.source[packed];
        const std::uint32_t count = bin == SearchPlan::no_bin ? 0 : row[bin];
        out[packed] = prepared_count(plan.term, count);
        sum += own_term(plan.term, count) * plan.segments[segment_of(plan, packed)].weight;
    }
    for (int step = warp_lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(~0U, sum, step);
    if (threadIdx.x % warp_lanes == 0) shared[threadIdx.x / warp_lanes] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < query_threads / warp_lanes; ++w) sum += shared[w];
    atomicAdd(on_the_way.sums + query, sum);
    __threadfence();
    if (atomicInc(on_the_way.counters + query, gridDim.x - 1) != gridDim.x - 1) return;
    __threadfence();
    own[query] = static_cast<std::int64_t>(atomicExch(on_the_way.sums + query, 0ULL));
}

}  // namespace fovea::cuda_backend
