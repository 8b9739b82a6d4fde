#pragma once

#include "kernels/histogram_search/gpu_tiles.cuh"

namespace fovea::cuda_backend {

constexpr int query_threads = 256;
constexpr int query_bins_of_thread = 2;

/// \param prepared receives [query][packed_bins]. \param own [query]: their own sums are added. Block (x, y): part x of
/// query y.
__global__ void __launch_bounds__(query_threads)
    prepare_queries_kernel(PlanView plan, const std::uint16_t* __restrict__ rows, std::uint32_t* prepared,
                           unsigned long long* own) {
    const std::uint16_t* const row = rows + static_cast<std::size_t>(blockIdx.y) * plan.layout_bins;
    std::uint32_t* const out = prepared + static_cast<std::size_t>(blockIdx.y) * plan.packed_bins;
    std::uint64_t sum = 0;
#pragma unroll
    for (int i = 0; i < query_bins_of_thread; ++i) {
        const std::uint32_t packed = (blockIdx.x * query_bins_of_thread + i) * query_threads + threadIdx.x;
        if (packed >= plan.packed_bins) break;
        const std::uint32_t bin = plan.source[packed];
        const std::uint32_t count = bin == SearchPlan::no_bin ? 0 : row[bin];
        out[packed] = prepared_count(plan.term, count);
        sum += own_term(plan.term, count) * plan.segments[segment_of(plan, packed)].weight;
    }
    for (int step = warp_lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(~0U, sum, step);
    if (threadIdx.x % warp_lanes == 0) atomicAdd(own + blockIdx.y, sum);
}

}  // namespace fovea::cuda_backend
