#pragma once

#include "kernels/histogram_search/gpu_tiles.cuh"

namespace fovea::cuda_backend {

constexpr int query_threads = 1024;
constexpr std::size_t cleared_by_block = 2 * query_threads;

/// Prepares queries: block (0, y) prepares query y, and the other blocks of the row clear its sums.
/// \param prepared receives [query][packed_bins], prepared_count(). \param own receives [query], self_term().
/// \param sums [query][stride].
__global__ void __launch_bounds__(query_threads)
    prepare_queries_kernel(PlanView plan, const std::uint16_t* __restrict__ rows, std::uint32_t* prepared,
                           std::int64_t* own, unsigned long long* sums, std::size_t stride) {
    const std::uint32_t query = blockIdx.y;
    if (blockIdx.x > 0) {
        const std::size_t first = (blockIdx.x - 1) * cleared_by_block;
        for (std::size_t i = first + threadIdx.x; i < min(stride, first + cleared_by_block);
             i += query_threads) {
            sums[query * stride + i] = 0;
        }
        return;
    }
    __shared__ unsigned long long shared[query_threads / warp_lanes];
    const std::uint16_t* const row = rows + static_cast<std::size_t>(query) * plan.layout_bins;
    std::uint32_t* const out = prepared + static_cast<std::size_t>(query) * plan.packed_bins;
    unsigned long long sum = 0;
#pragma unroll 4
    for (std::uint32_t packed = threadIdx.x; packed < plan.packed_bins; packed += query_threads) {
        const std::uint32_t bin = plan.source[packed];
        const std::uint32_t count = bin == SearchPlan::no_bin ? 0 : row[bin];
        out[packed] = prepared_count(plan.term, count);
        sum += own_term(plan.term, count) * plan.segments[segment_of(plan, packed)].weight;
    }
    for (int step = warp_lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(~0U, sum, step);
    if (threadIdx.x % warp_lanes == 0) shared[threadIdx.x / warp_lanes] = sum;
    __syncthreads();
    if (threadIdx.x >= warp_lanes) return;
    sum = shared[threadIdx.x];
    for (int step = warp_lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(~0U, sum, step);
    if (threadIdx.x == 0) own[query] = static_cast<std::int64_t>(sum);
}

}  // namespace fovea::cuda_backend
