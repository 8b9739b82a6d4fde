#pragma once

#include "kernels/histogram_search/gpu_own_sum.cuh"

namespace fovea::cuda_backend {

constexpr int query_threads = 128;

/// \param prepared receives [query][packed_bins]. \param own [query]. A block a query.
__global__ void __launch_bounds__(query_threads)
    prepare_queries_kernel(PlanView plan, const std::uint16_t* __restrict__ rows, std::uint32_t* prepared,
                           std::int64_t* own) {
    const std::uint16_t* const row = rows + static_cast<std::size_t>(blockIdx.x) * plan.layout_bins;
    std::uint32_t* const out = prepared + static_cast<std::size_t>(blockIdx.x) * plan.packed_bins;
    for (std::uint32_t i = threadIdx.x; i < plan.packed_bins; i += query_threads) {
        const std::uint32_t bin = plan.source[i];
        out[i] = prepared_count(plan.term, bin == SearchPlan::no_bin ? 0 : row[bin]);
    }
    if (threadIdx.x < warp_lanes) {
        const std::int64_t sum = own_sum_of_row(plan, row);
        if (threadIdx.x == 0) own[blockIdx.x] = sum;
    }
}

/// Turns sums into the bits of distances, which order like them, as none is negative. A thread a vector, blocks in rows.
__global__ void finish_kernel(PlanView plan, GalleryView gallery, std::size_t stride,
                              const std::int64_t* __restrict__ query_own, unsigned long long* sums) {
    const std::uint32_t vector = blockIdx.x * blockDim.x + threadIdx.x;
    if (vector >= gallery.size) return;
    unsigned long long& value = sums[blockIdx.y * stride + vector];
    const double distance = distance_of_terms(plan.distance, plan.bits, static_cast<std::int64_t>(value),
                                              query_own[blockIdx.y], gallery.own(vector));
    value = static_cast<unsigned long long>(__double_as_longlong(distance));
}

}  // namespace fovea::cuda_backend
