#pragma once

#include "kernels/core/gpu_byte_products.cuh"
#include "kernels/core/gpu_warp.cuh"
#include "kernels/vector_search/gpu_nearest_lists.cuh"
#include "kernels/vector_search/gpu_vector_tiles.cuh"

// Comparisons of many queries with many vectors, on tensor cores.
//
// A block of threads has 128 queries and lets the tiles of 64 vectors of its part of the gallery pass, by
// rising index. Four products of bytes (high and low ones of both) give three sums of 32 bits for each pair,
// whose exact dot product is 65,536 high + 256 middle + low; at 4096 components the sums stay below 2^29. No
// pair leaves its registers unless it reaches the limit of its query, which is the k-th best rank so far with
// an allowance for rounding to single precision. Those few are ranked exactly and appended to the query's
// list in global memory. A list that is nearly full has the lists of the block shortened to their k nearest,
// and the limits fall. Neither the order of appending nor the time of shortening changes the result: the list
// always holds the k nearest of what has passed, by rank and index.
//
// The floor for N vectors of 128 among themselves is 4 · 128 N² multiply-adds of bytes: for a million
// 5.1 · 10^14, 0.5 s of an H200's 10^15 a second, and about 0.8 s by the instruction used here, which every
// GPU since Ampere has (Hopper's own would need code for Hopper alone). The filter takes 9 instructions a
// pair, 3 · 10^11 of a warp, 0.35 s of its 4 · 132 schedulers at 1.7 GHz, which other warps can spend on
// products. From the caches 2 bytes a pair come, 2 TB, 0.4 s at 5.5 TB/s, at the same time; from memory far
// less, since all blocks pass through the gallery side by side. For k = 50 about k ln(N / k) + 5 (room - k),
// 1500 pairs of a query, reach its list: 1.5 · 10^9 appended in all, and about 8 times a block's lists are
// shortened in some 15 steps of 10 words a lane: 1 % of the rest.
namespace fovea::cuda_backend {

constexpr int warp_rows = 32;  // queries and vectors of a warp
constexpr int warp_columns = tile_rows / warp_rows;

struct CompareTask {
    VectorTiles queries, gallery;
    std::uint32_t first_query = 0;  ///< of `queries`, a multiple of block_queries
    std::uint32_t end_query = 0;
    bool is_of_gallery =
        false;                ///< the queries are the gallery's vectors, and are left out of their own lists
    std::uint32_t parts = 1;  ///< of the gallery, compared by different blocks; none is empty
    std::uint32_t tiles_of_part = 0;
    VectorDistance distance = VectorDistance::euclidean;
    double bytes = 0;  ///< 255 √length
    const OwnRangeBits* range = nullptr;
    // For the nearest.
    std::uint32_t k = 0;
    ListMemory lists;
    NearestOutput nearest;  ///< [query][part][k]: bits of distances; where there are fewer, no_key
    // For all.
    double* distances = nullptr;  ///< [query][gallery.count]; of a pair that is left out, the bits no_key
};

/// Shared memory of a block in pieces of 16 bytes: the state of its lists, the queries, if they stay there,
/// and the stages.
template <bool queries_stay>
struct CompareLayout {
    static constexpr int first_query = sizeof(ListState) / 16;
    static constexpr int query_pieces = 2 * chunk_pieces;  // of a chunk
    static constexpr int first_vector = queries_stay ? 0 : query_pieces;
    static constexpr int first_term = first_vector + chunk_pieces;
    static constexpr int stage_pieces = first_term + tile_rows;

    static constexpr std::size_t bytes(std::uint32_t chunks, int stages) {
        return 16 * (first_query + (queries_stay ? static_cast<std::size_t>(chunks) * query_pieces : 0) +
                     static_cast<std::size_t>(stages) * stage_pieces);
    }
};

/// Sums of products of bytes of 32 queries and 32 vectors: a lane's part, [16 queries][8 vectors][4].
struct ByteSums {
    int high[2][4][4], middle[2][4][4], low[2][4][4];

    __device__ void clear() {
#pragma unroll
        for (int at = 0; at < 32; ++at) {
            high[at / 16][at / 4 % 4][at % 4] = 0;
            middle[at / 16][at / 4 % 4][at % 4] = 0;
            low[at / 16][at / 4 % 4][at % 4] = 0;
        }
    }
    /// Adds the products of a chunk. \param queries, vectors where the lane's rows of matrices begin in
    /// shared memory: the four matrices of 16 queries follow each other along rows first, those of vectors
    /// along components.
    __device__ void add(std::uint32_t queries, std::uint32_t vectors) {
        constexpr std::uint32_t row = 16, piece = row * tile_rows, plane = row * plane_pieces;
#pragma unroll
        for (int step = 0; step < chunk_components / (2 * piece_components); ++step) {
            std::uint32_t a_high[2][4], a_low[2][4];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                load_matrices(a_high[i], queries + 2 * step * piece + i * 16 * row);
                load_matrices(a_low[i], queries + 2 * step * piece + i * 16 * row + plane);
            }
#pragma unroll
            for (int pair = 0; pair < 2; ++pair) {
                std::uint32_t b_high[4], b_low[4];
                load_matrices(b_high, vectors + 2 * step * piece + pair * 16 * row);
                load_matrices(b_low, vectors + 2 * step * piece + pair * 16 * row + plane);
                // Products that add to the same sums lie apart, so that none waits for the one before.
#pragma unroll
                for (int at = 0; at < 4; ++at) {
                    const int i = at / 2, j = 2 * pair + at % 2, b = at % 2 * 2;
                    add_byte_products<true, true>(high[i][j], a_high[i], b_high[b], b_high[b + 1]);
                }
#pragma unroll
                for (int at = 0; at < 4; ++at) {
                    const int i = at / 2, j = 2 * pair + at % 2, b = at % 2 * 2;
                    add_byte_products<true, false>(middle[i][j], a_high[i], b_low[b], b_low[b + 1]);
                }
#pragma unroll
                for (int at = 0; at < 4; ++at) {
                    const int i = at / 2, j = 2 * pair + at % 2, b = at % 2 * 2;
                    add_byte_products<false, false>(low[i][j], a_low[i], b_low[b], b_low[b + 1]);
                }
#pragma unroll
                for (int at = 0; at < 4; ++at) {
                    const int i = at / 2, j = 2 * pair + at % 2, b = at % 2 * 2;
                    add_byte_products<false, true>(middle[i][j], a_low[i], b_high[b], b_high[b + 1]);
                }
            }
        }
    }
    /// The dot product, rounded as filter_limit() says.
    __device__ float rounded(int i, int j, int at) const {
        const float lower =
            __fmaf_rn(static_cast<float>(middle[i][j][at]), 256.0F, static_cast<float>(low[i][j][at]));
        return __fmaf_rn(static_cast<float>(high[i][j][at]), 65536.0F, lower);
    }
    __device__ std::int64_t exact(int i, int j, int at) const {
        return std::int64_t{high[i][j][at]} * 65536 + std::int64_t{middle[i][j][at]} * 256 + low[i][j][at];
    }
};

/// Writes the k nearest of each of a block's queries, in no order. \param first_row of `queries`.
__device__ inline void write_nearest(const CompareTask& task, const ListState& state, std::uint32_t first_row,
                                     std::uint32_t part) {
    for (std::uint32_t query = threadIdx.x / 32; query < block_queries; query += compare_warps) {
        if (first_row + query >= task.end_query) return;
        const ListEntries list(task.lists, query);
        const std::size_t to = (first_row + query - task.first_query) * task.nearest.stride +
                               static_cast<std::size_t>(part) * task.k;
        for (std::uint32_t i = threadIdx.x % 32; i < task.k; i += 32) {
            NearestPair pair;
            if (i < state.counts[query]) {
                const double distance = distance_of_rank(task.distance, list.ranks[i]);
                pair = {static_cast<unsigned long long>(__double_as_longlong(distance)), list.indices[i]};
            }
            task.nearest.keys[to + i] = pair.key;
            task.nearest.indices[to + i] = pair.index;
        }
    }
}

/// Finds the nearest of queries, or all distances. Blocks take units of work, 128 queries and a part of the
/// gallery, in turns.
template <bool queries_stay, int stages, bool all>
static __global__ void __launch_bounds__(compare_threads, 1) compare_kernel(CompareTask task) {
    using Layout = CompareLayout<queries_stay>;
    extern __shared__ uint4 pieces[];
    auto& state = *reinterpret_cast<ListState*>(pieces);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int warp_query = warp / warp_columns * warp_rows, warp_vector = warp % warp_columns * warp_rows;
    const std::uint32_t chunks = task.gallery.chunks;
    uint4* const query_pieces = pieces + Layout::first_query;
    uint4* const stage_pieces = query_pieces + (queries_stay ? chunks * Layout::query_pieces : 0);
    const OwnRange range{__longlong_as_double(static_cast<long long>(task.range->least)),
                         __longlong_as_double(static_cast<long long>(task.range->largest))};

    // A lane's row of the four matrices of an instruction.
    const int matrix = lane / 8, row = lane % 8;
    const int query_place = warp_query / tile_rows * chunk_pieces + matrix / 2 * tile_rows +
                            warp_query % tile_rows + matrix % 2 * 8 + row;
    const int vector_place = matrix % 2 * tile_rows + warp_vector + matrix / 2 * 8 + row;
    const auto address = [](const uint4* piece) {
        return static_cast<std::uint32_t>(__cvta_generic_to_shared(piece));
    };

    const std::uint32_t query_blocks =
        (task.end_query - task.first_query + block_queries - 1) / block_queries;
    const std::uint32_t all_tiles = (task.gallery.count + tile_rows - 1) / tile_rows;
    for (std::uint32_t work = blockIdx.x; work < query_blocks * task.parts; work += gridDim.x) {
        // Blocks that run at once share a part of the gallery.
        const std::uint32_t part = work / query_blocks;
        const std::uint32_t first_row = task.first_query + work % query_blocks * block_queries;
        const std::uint32_t begin = part * task.tiles_of_part;
        const std::uint32_t end = min(begin + task.tiles_of_part, all_tiles);

        const auto load_queries = [&](std::uint32_t chunk, uint4* to) {
            for (int half = 0; half < 2; ++half) {
                const uint4* const from =
                    task.queries.pieces +
                    (static_cast<std::size_t>(first_row / tile_rows + half) * chunks + chunk) * chunk_pieces;
                for (int i = threadIdx.x; i < chunk_pieces; i += compare_threads) {
                    copy_async(to + half * chunk_pieces + i, from + i);
                }
            }
        };
        std::uint32_t loading_tile = begin, loading_chunk = 0, loading_stage = 0;
        const auto start_loading = [&] {
            if (loading_tile < end) {
                uint4* const to = stage_pieces + loading_stage * Layout::stage_pieces;
                if constexpr (!queries_stay) load_queries(loading_chunk, to);
                const uint4* const from =
                    task.gallery.pieces +
                    (static_cast<std::size_t>(loading_tile) * chunks + loading_chunk) * chunk_pieces;
                for (int i = threadIdx.x; i < chunk_pieces; i += compare_threads) {
                    copy_async(to + Layout::first_vector + i, from + i);
                }
                if (++loading_chunk == chunks) {
                    if (threadIdx.x < tile_rows) {
                        copy_async(to + Layout::first_term + threadIdx.x,
                                   task.gallery.terms + static_cast<std::size_t>(loading_tile) * tile_rows +
                                       threadIdx.x);
                    }
                    loading_chunk = 0;
                    ++loading_tile;
                }
                loading_stage = loading_stage + 1 == stages ? 0 : loading_stage + 1;
            }
            commit_copies();
        };

        __syncthreads();  // the work before is done
        if (threadIdx.x < block_queries) {
            const std::uint32_t query = first_row + threadIdx.x;
            const bool is_there = query < task.end_query;
            state.own[threadIdx.x] = is_there ? task.queries.terms[query].own : 0;
            state.worst[threadIdx.x] = is_there ? HUGE_VAL : 0;
            state.limits[threadIdx.x] = is_there ? -FLT_MAX : HUGE_VALF;
            state.counts[threadIdx.x] = 0;
        }
        if constexpr (queries_stay) {
            for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
                load_queries(chunk, query_pieces + chunk * Layout::query_pieces);
            }
            commit_copies();
        }
        for (int i = 0; i < stages - 1; ++i) start_loading();

        int stage = 0;
        bool is_filled = false;  // a list to which this thread appended
        for (std::uint32_t tile = begin; tile < end; ++tile) {
            if constexpr (!all) {
                if (__syncthreads_or(is_filled)) {
                    shorten_lists(task.lists, state, task.k, task.distance, range, task.bytes);
                    is_filled = false;
                }
            }
            ByteSums sums;
            sums.clear();
            const uint4* here = nullptr;
            for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
                wait_for_copies<stages - 2>();
                __syncthreads();
                start_loading();
                here = stage_pieces + stage * Layout::stage_pieces;
                stage = stage + 1 == stages ? 0 : stage + 1;
                const uint4* const queries =
                    queries_stay ? query_pieces + chunk * Layout::query_pieces : here;
                sums.add(address(queries + query_place), address(here + Layout::first_vector + vector_place));
            }

            const auto* const terms = reinterpret_cast<const VectorTerms*>(here + Layout::first_term);
            const int lane_query = warp_query + lane / 4, lane_vector = warp_vector + lane % 4 * 2;
            // The pair of value `at` of the lane's 16 × 8 sums (i, j).
            const auto take = [&](int i, int j, int at) {
                const int query = lane_query + i * 16 + at / 2 * 8, vector = lane_vector + j * 8 + at % 2;
                const std::uint32_t index = tile * tile_rows + vector, row_of_query = first_row + query;
                if (index >= task.gallery.count || row_of_query >= task.end_query) return;
                const bool is_left_out = task.is_of_gallery && index == row_of_query;
                const double rank =
                    pair_rank(task.distance, sums.exact(i, j, at), state.own[query], terms[vector].own);
                if constexpr (all) {
                    task.distances[static_cast<std::size_t>(row_of_query - task.first_query) *
                                       task.gallery.count +
                                   index] =
                        is_left_out ? __longlong_as_double(-1) : distance_of_rank(task.distance, rank);
                } else {
                    // Those of the same rank as the last come later, so that they lie behind it.
                    if (is_left_out || !(rank < state.worst[query])) return;
                    const std::uint32_t place = atomicAdd(&state.counts[query], 1U);
                    const ListEntries list(task.lists, query);
                    list.ranks[place] = rank;
                    list.indices[place] = index;
                    is_filled |= place + 1 + tile_rows > task.lists.room;
                }
            };
            if constexpr (all) {
#pragma unroll
                for (int at = 0; at < 32; ++at) take(at / 16, at / 4 % 4, at % 4);
            } else {
                float limits[4];
#pragma unroll
                for (int i = 0; i < 4; ++i) limits[i] = state.limits[lane_query + i * 8];
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const FilterTerm filters[2] = {terms[lane_vector + j * 8].filter,
                                                   terms[lane_vector + j * 8 + 1].filter};
#pragma unroll
                    for (int i = 0; i < 2; ++i) {
                        bool reaches[4];
#pragma unroll
                        for (int at = 0; at < 4; ++at) {
                            const float value = __fmaf_rn(sums.rounded(i, j, at), filters[at % 2].factor,
                                                          -filters[at % 2].offset);
                            reaches[at] = value >= limits[2 * i + at / 2];
                        }
                        if (!(reaches[0] || reaches[1] || reaches[2] || reaches[3])) continue;
#pragma unroll
                        for (int at = 0; at < 4; ++at) {
                            if (reaches[at]) take(i, j, at);
                        }
                    }
                }
            }
        }
        if constexpr (!all) {
            __syncthreads();
            shorten_lists(task.lists, state, task.k, task.distance, range, task.bytes);
            __syncthreads();
            write_nearest(task, state, first_row, part);
        }
    }
    wait_for_copies();
}

}  // namespace fovea::cuda_backend
