#pragma once

#include "kernels/histogram_search/gpu_filter.cuh"
#include "kernels/histogram_search/gpu_tiles.cuh"
#include "kernels/nearest/gpu_select_digit.cuh"

namespace fovea::cuda_backend {

/// Approximate distances (own - 256 · similarity) / 256, where `own` is the sum of both vectors' own sums;
/// the error is at most `error` · own / 256.
struct Approximation {
    const float* similarities = nullptr;  ///< [part][query][stride]; the parts are added
    std::size_t stride = 0;
    std::size_t part_stride = 0;
    std::uint32_t parts = 1;
    const std::int64_t* query_own = nullptr;
    double error = 0;

    __device__ double own(const GalleryView& gallery, std::uint32_t query, std::uint32_t vector) const {
        return static_cast<double>(query_own[query] + gallery.own(vector)) / 256;
    }
    __device__ double distance(double own, std::uint32_t query, std::uint32_t vector) const {
        const float* const first = similarities + query * stride + vector;
        double similarity = static_cast<double>(*first);
        for (std::uint32_t part = 1; part < parts; ++part) {
            similarity += static_cast<double>(first[part * part_stride]);
        }
        return own - similarity;
    }
};

constexpr int candidate_threads = 1024;

/// Finds the vectors whose distance may be as small as the k-th smallest upper bound. A block has a query.
__global__ void __launch_bounds__(candidate_threads)
    candidates_kernel(GalleryView gallery, Approximation approximation, std::uint32_t k, Candidates out) {
    __shared__ std::uint32_t found;
    const std::uint32_t query = blockIdx.x;
    if (threadIdx.x == 0) found = 0;
    // Upper bounds, rounded up to floats from 0 on, whose bits order as the floats do.
    const auto upper_bits = [&](std::uint32_t vector) {
        const double own = approximation.own(gallery, query, vector);
        const double upper = approximation.distance(own, query, vector) + approximation.error * own;
        return __float_as_uint(__double2float_ru(fmax(upper, 0.0)));
    };
    std::uint32_t bound = 0, need = k;
    for (int shift = 24; shift >= 0; shift -= 8) {
        const RadixDigit selected = select_digit(need, [&](std::uint32_t* histogram) {
            for (std::uint32_t i = threadIdx.x; i < gallery.size; i += candidate_threads) {
                const std::uint32_t bits = upper_bits(i);
                if (shift == 24 || bits >> (shift + 8) == bound >> (shift + 8)) {
                    atomicAdd(&histogram[bits >> shift & 255], 1U);
                }
            }
        });
        need -= selected.below;
        bound |= selected.digit << shift;
    }
    // select_digit() has barriers: every thread sees that found is 0.
    const double limit = static_cast<double>(__uint_as_float(bound));
    for (std::uint32_t i = threadIdx.x; i < gallery.size; i += candidate_threads) {
        const double own = approximation.own(gallery, query, i);
        if (approximation.distance(own, query, i) - approximation.error * own > limit) continue;
        const std::uint32_t place = atomicAdd(&found, 1U);
        if (place < out.room) out.indices[query * static_cast<std::size_t>(out.room) + place] = i;
    }
    __syncthreads();
    if (threadIdx.x == 0) out.counts[query] = found;
}

constexpr int refine_warps = 8;
constexpr int refine_blocks = 8;  // of a query

/// Computes the exact distances of the candidates. Block (x, y) has every refine_blocks-th group of
/// candidates of query y, one candidate for each warp.
__global__ void __launch_bounds__(refine_warps* warp_lanes)
    refine_kernel(PlanView plan, GalleryView gallery, const std::uint32_t* __restrict__ prepared,
                  const std::int64_t* __restrict__ query_own, Candidates candidates) {
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const std::uint32_t query = blockIdx.y;
    const std::uint32_t count = min(candidates.counts[query], candidates.room);
    const uint4* const counts =
        reinterpret_cast<const uint4*>(prepared) + static_cast<std::size_t>(query) * gallery.chunks;
    const float scale = static_cast<float>(1U << (plan.bits + 2));
    for (std::uint32_t i = blockIdx.x * refine_warps + warp; i < count; i += refine_blocks * refine_warps) {
        const std::size_t place = query * static_cast<std::size_t>(candidates.room) + i;
        const std::uint32_t vector = candidates.indices[place];
        std::uint64_t total = 0;
        for (int s = 0; s < plan.segment_count; ++s) {
            const SearchSegment segment = plan.segments[s];
            const std::uint32_t end = (segment.first + segment.bins) / chunk_bins;
            std::uint32_t sum = 0;
            for (std::uint32_t chunk = segment.first / chunk_bins + lane; chunk < end; chunk += warp_lanes) {
                const uint4 four = __ldg(counts + chunk);
                const std::uint32_t mine[chunk_bins] = {four.x, four.y, four.z, four.w};
                const FourCounts<true> other = load_counts(gallery, vector, chunk);
#pragma unroll
                for (int bin = 0; bin < chunk_bins; ++bin) {
                    sum += scaled_harmonic_term(__uint_as_float(mine[bin]),
                                                static_cast<float>(other.count(bin)), scale) -
                           harmonic_magic_bits;
                }
            }
            total += static_cast<std::uint64_t>(sum) * segment.weight;
        }
        for (int step = warp_lanes / 2; step > 0; step /= 2) total += __shfl_down_sync(~0U, total, step);
        if (lane == 0) {
            const double distance =
                distance_of_terms(plan.distance, plan.bits, static_cast<std::int64_t>(total),
                                  query_own[query], gallery.own(vector));
            candidates.keys[place] = static_cast<unsigned long long>(__double_as_longlong(distance));
        }
    }
}

}  // namespace fovea::cuda_backend
