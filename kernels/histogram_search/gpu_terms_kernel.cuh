#pragma once

#include "kernels/core/gpu_chain.cuh"
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

/// True if a prepared query's chunk has no count but 0.
template <HistogramTerm term>
__device__ bool is_empty(const uint4& four) {
    constexpr std::uint32_t zero = prepared_zero(term);
    return four.x == zero && four.y == zero && four.z == zero && four.w == zero;
}

/// The sums of a lane's vectors with the queries of its warp. Bins that are empty in a query are left out:
/// every lane of a warp leaves out the same ones.
template <HistogramTerm term, int group>
struct LaneSums {
    std::uint32_t segment[group][lane_vectors] = {};  // without weight
    std::uint32_t added[group] = {};                  // terms of each vector in `segment`
    std::uint64_t total[group][lane_vectors] = {};

    /// Adds the terms of a chunk.
    /// \param low, high the bytes of the lane's vectors; `high` is read if the chunk is wide
    template <bool is_wide>
    __device__ void add(const uint4& low, const uint4& high, const uint4* queries, std::uint32_t stride4,
                        float scale) {
        FourCounts<is_wide> counts_of[lane_vectors];
#pragma unroll
        for (int v = 0; v < lane_vectors; ++v) counts_of[v] = {word_at(low, v), word_at(high, v)};
        const auto as_float = [&](int v, int bin) {
            return __fadd_rn(counts_of[v].raised(bin), -8388608.0F);
        };
        float floats[lane_vectors][chunk_bins];
        if constexpr (term == HistogramTerm::harmonic && group > 1) {
#pragma unroll
            for (int v = 0; v < lane_vectors; ++v) {
#pragma unroll
                for (int bin = 0; bin < chunk_bins; ++bin) floats[v][bin] = as_float(v, bin);
            }
        }
#pragma unroll
        for (int q = 0; q < group; ++q) {
            const uint4 four = queries[q * stride4];
#pragma unroll
            for (int bin = 0; bin < chunk_bins; ++bin) {
                const std::uint32_t count = word_at(four, bin);
                if (count == prepared_zero(term)) continue;
                ++added[q];
#pragma unroll
                for (int v = 0; v < lane_vectors; ++v) {
                    if constexpr (term == HistogramTerm::harmonic) {
                        const float other = group > 1 ? floats[v][bin] : as_float(v, bin);
                        segment[q][v] += scaled_harmonic_term(__uint_as_float(count), other, scale);
                    } else if constexpr (term == HistogramTerm::minimum) {
                        segment[q][v] += min(count, counts_of[v].count(bin));
                    } else {
                        segment[q][v] += count * counts_of[v].count(bin);
                    }
                }
            }
        }
    }

    /// Adds the segment's sums, times its weight, to the total.
    __device__ void close_segment(std::uint32_t weight) {
#pragma unroll
        for (int q = 0; q < group; ++q) {
            const std::uint32_t raised = term == HistogramTerm::harmonic ? harmonic_magic_bits * added[q] : 0;
            added[q] = 0;
#pragma unroll
            for (int v = 0; v < lane_vectors; ++v) {
                total[q][v] += static_cast<std::uint64_t>(segment[q][v] - raised) * weight;
                segment[q][v] = 0;
            }
        }
    }
};

/// Computes Σ w Σ terms of every query and gallery vector.
/// \param queries [query][packed_bins], prepared by the kernel before, which may still write when this one
/// begins; with memory for whole groups. \param sums [query][work.stride] receives the sums; if work.divided,
/// they are added to what it holds.
template <HistogramTerm term, int group>
__global__ void __launch_bounds__(terms_warps* warp_lanes)
    sum_terms_kernel(PlanView plan, GalleryView gallery, TermsWork work, const std::uint32_t* queries,
                     unsigned long long* __restrict__ sums) {
    extern __shared__ unsigned long long block_sums[];  // [warp][group][tile_vectors] if divided
    let_next_kernel_begin();
    wait_for_kernel_before();
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
    std::byte* const tile = gallery.tiles[tile_index];
    const std::uint32_t begin =
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(gallery.chunks) * part / work.parts);
    const std::uint32_t end =
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(gallery.chunks) * (part + 1) / work.parts);
    const std::uint32_t first_query = group_index * group;
    const uint4* const mine =
        reinterpret_cast<const uint4*>(queries) + static_cast<std::size_t>(first_query) * gallery.chunks;
    const float scale = static_cast<float>(1U << (plan.bits + 2));

    // Chunks that a warp loads ahead.
    constexpr std::uint32_t ahead = group == 1 ? 4 : 1;
    const std::byte* const high_plane = tile + gallery.words_of_plane() * sizeof(std::uint32_t);
    const std::uint8_t* const marks = gallery.marks(tile);
    LaneSums<term, group> lane_sums;
    for (std::uint32_t chunk = begin, s = segment_of(plan, begin * chunk_bins); chunk < end; ++s) {
        const SearchSegment segment = plan.segments[s];
        const std::uint32_t stop = min(end, (segment.first + segment.bins) / chunk_bins);
        for (; chunk < stop; chunk += ahead) {
            uint4 low[ahead];
            bool is_needed[ahead], is_wide[ahead];
#pragma unroll
            for (std::uint32_t i = 0; i < ahead; ++i) {
                // Behind the last chunk, that one once more: it is not added.
                const std::uint32_t at = min(chunk + i, stop - 1);
                is_needed[i] = group > 1 || !is_empty<term>(mine[at]);
                low[i] = is_needed[i] ? load_lane_words(tile, at, lane) : uint4{};
                is_wide[i] = __ldg(marks + at) != 0;
            }
#pragma unroll
            for (std::uint32_t i = 0; i < ahead && chunk + i < stop; ++i) {
                const uint4* const of_queries = mine + chunk + i;
                if (!is_needed[i]) continue;
                if (is_wide[i]) {
                    lane_sums.template add<true>(low[i], load_lane_words(high_plane, chunk + i, lane),
                                                 of_queries, gallery.chunks, scale);
                } else {
                    lane_sums.template add<false>(low[i], {}, of_queries, gallery.chunks, scale);
                }
            }
        }
        chunk = stop;
        lane_sums.close_segment(segment.weight);
    }

    if (!work.divided) {
#pragma unroll
        for (int q = 0; q < group; ++q) {
            if (first_query + q >= work.queries) break;
#pragma unroll
            for (int v = 0; v < lane_vectors; ++v) {
                sums[(first_query + q) * work.stride + static_cast<std::size_t>(tile_index) * tile_vectors +
                     lane_vectors * lane + v] = lane_sums.total[q][v];
            }
        }
        return;
    }
#pragma unroll
    for (int q = 0; q < group; ++q) {
#pragma unroll
        for (int v = 0; v < lane_vectors; ++v) {
            block_sums[(warp * group + q) * tile_vectors + lane_vectors * lane + v] = lane_sums.total[q][v];
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
