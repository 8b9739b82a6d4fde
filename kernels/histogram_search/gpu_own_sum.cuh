#pragma once

#include "kernels/histogram_search/gpu_tiles.cuh"

namespace fovea::cuda_backend {

/// own_sum() of a row, complete in lane 0 of the warp.
__device__ inline std::int64_t own_sum_of_row(const PlanView& plan, const std::uint16_t* row) {
    const std::uint32_t lane = threadIdx.x % warp_lanes;
    std::uint64_t sum = 0;
    for (int s = 0; s < plan.segment_count; ++s) {
        const SearchSegment segment = plan.segments[s];
        std::uint64_t own = 0;
        for (std::uint32_t i = lane; i < segment.bins; i += warp_lanes) {
            const std::uint32_t bin = plan.source[segment.first + i];
            if (bin != SearchPlan::no_bin) own += own_term(plan.term, row[bin]);
        }
        sum += own * segment.weight;
    }
    for (int step = warp_lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(~0U, sum, step);
    return static_cast<std::int64_t>(sum);
}

}  // namespace fovea::cuda_backend
