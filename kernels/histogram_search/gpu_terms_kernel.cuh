#pragma once

#include "kernels/histogram_search/gpu_tiles.cuh"

namespace fovea::cuda_backend {

constexpr int terms_warps = 4;  // of a block

/// How the sums of queries and gallery are divided among warps. A warp has a tile, a group of queries and a
/// part of the bins. The warps of a block have neighbouring groups, which share what they read of the tile,
/// or neighbouring parts, whose sums the block adds.
struct TermsWork {
    std::uint32_t queries = 0;
    std::uint32_t groups = 0;  ///< of queries
    std::uint32_t parts = 1;   ///< of the bins; a multiple of terms_warps if `divided`
    bool divided = false;      ///< the warps of a block have neighbouring parts
    std::uint32_t blocks_of_tile = 0;
    std::size_t stride = 0;  ///< of the sums, in vectors
};

/// The sums of a lane's vectors with the queries of its warp.
template <HistogramTerm term, class Count, int group>
struct LaneSums {
    std::uint32_t segment[group][lane_vectors] = {};  // without weight
    std::uint64_t total[group][lane_vectors] = {};

    __device__ void add(const LaneChunk<Count>& chunk, const uint4* queries, std::uint32_t stride4,
                        float scale) {
        float floats[lane_vectors][chunk_bins];
        if constexpr (term == HistogramTerm::harmonic) {
#pragma unroll
            for (int v = 0; v < lane_vectors; ++v) {
#pragma unroll
                for (int bin = 0; bin < chunk_bins; ++bin) {
                    floats[v][bin] = __fadd_rn(chunk.raised(v, bin), -8388608.0F);
                }
            }
        }
#pragma unroll
        for (int q = 0; q < group; ++q) {
            const uint4 four = __ldg(queries + q * stride4);
            const std::uint32_t counts[chunk_bins] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (int bin = 0; bin < chunk_bins; ++bin) {
#pragma unroll
                for (int v = 0; v < lane_vectors; ++v) {
                    if constexpr (term == HistogramTerm::harmonic) {
                        segment[q][v] +=
                            scaled_harmonic_term(__uint_as_float(counts[bin]), floats[v][bin], scale);
                    } else if constexpr (term == HistogramTerm::minimum) {
                        segment[q][v] += min(counts[bin], chunk.count(v, bin));
                    } else {
                        segment[q][v] += counts[bin] * chunk.count(v, bin);
                    }
                }
            }
        }
    }

    /// Adds the segment's sums, times its weight, to the total. \param bins added since the last call.
    __device__ void close_segment(std::uint32_t weight, std::uint32_t bins) {
        const std::uint32_t raised = term == HistogramTerm::harmonic ? harmonic_magic_bits * bins : 0;
#pragma unroll
        for (int q = 0; q < group; ++q) {
#pragma unroll
            for (int v = 0; v < lane_vectors; ++v) {
                total[q][v] += static_cast<std::uint64_t>(segment[q][v] - raised) * weight;
                segment[q][v] = 0;
            }
        }
    }
};

/// Computes Σ w Σ terms of every query and gallery vector.
/// \param queries [query][packed_bins], prepared, with memory for whole groups.
/// \param sums [query][work.stride] receives the sums; if work.divided, they are added to what it holds.
template <HistogramTerm term, class Count, int group>
__global__ void __launch_bounds__(terms_warps* warp_lanes)
    sum_terms_kernel(PlanView plan, GalleryView gallery, TermsWork work,
                     const std::uint32_t* __restrict__ queries, unsigned long long* __restrict__ sums) {
    extern __shared__ unsigned long long block_sums[];  // [warp][group][tile_vectors] if divided
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const std::uint32_t tile_index = blockIdx.x / work.blocks_of_tile;
    const std::uint32_t in_tile = blockIdx.x % work.blocks_of_tile;
    std::uint32_t group_index, part;
    if (work.divided) {
        group_index = in_tile % work.groups;
        part = in_tile / work.groups * terms_warps + warp;
    } else {
        group_index = in_tile * terms_warps + warp;
        part = 0;
        if (group_index >= work.groups) return;
    }
    const std::byte* const tile = gallery.tiles[tile_index];
    const std::uint32_t begin =
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(gallery.chunks) * part / work.parts);
    const std::uint32_t end =
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(gallery.chunks) * (part + 1) / work.parts);
    const std::uint32_t first_query = group_index * group;
    const uint4* const mine =
        reinterpret_cast<const uint4*>(queries) + static_cast<std::size_t>(first_query) * gallery.chunks;
    const float scale = static_cast<float>(1U << (plan.bits + 2));

    LaneSums<term, Count, group> lane_sums;
    for (std::uint32_t chunk = begin, s = segment_of(plan, begin * chunk_bins); chunk < end; ++s) {
        const SearchSegment segment = plan.segments[s];
        const std::uint32_t stop = min(end, (segment.first + segment.bins) / chunk_bins);
        const std::uint32_t bins = (stop - chunk) * chunk_bins;
#pragma unroll(group == 1 ? 4 : 1)
        for (; chunk < stop; ++chunk) {
            lane_sums.add(LaneChunk<Count>::load(tile, chunk, lane), mine + chunk, gallery.chunks, scale);
        }
        lane_sums.close_segment(segment.weight, bins);
    }

    if (!work.divided) {
#pragma unroll
        for (int q = 0; q < group; ++q) {
            if (first_query + q >= work.queries) break;
#pragma unroll
            for (int v = 0; v < lane_vectors; ++v) {
                sums[(first_query + q) * work.stride + static_cast<std::size_t>(tile_index) * tile_vectors +
                     LaneChunk<Count>::vector(lane, v)] = lane_sums.total[q][v];
            }
        }
        return;
    }
#pragma unroll
    for (int q = 0; q < group; ++q) {
#pragma unroll
        for (int v = 0; v < lane_vectors; ++v) {
            block_sums[(warp * group + q) * tile_vectors + LaneChunk<Count>::vector(lane, v)] =
                lane_sums.total[q][v];
        }
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < group; ++q) {
        if (first_query + q >= work.queries) break;
        unsigned long long sum = 0;
        for (int w = 0; w < terms_warps; ++w) {
            sum += block_sums[(w * group + q) * tile_vectors + threadIdx.x];
        }
        atomicAdd(sums + (first_query + q) * work.stride +
                      static_cast<std::size_t>(tile_index) * tile_vectors + threadIdx.x,
                  sum);
    }
}

}  // namespace fovea::cuda_backend
