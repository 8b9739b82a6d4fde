#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/gpu_half_products.cuh"
#include "kernels/core/gpu_warp.cuh"
#include "kernels/histogram_search/gpu_tiles.cuh"

// Scalar products of the features of queries and gallery vectors, on tensor cores (from compute
// capability 8.0 on).
namespace fovea::cuda_backend {

constexpr int similarity_queries = 128;  // of a block
constexpr int similarity_vectors = 256;
constexpr int similarity_threads = 256;  // 2 × 4 warps of 64 queries × 64 vectors
constexpr int similarity_stages = 4;
constexpr int similarity_columns = similarity_queries + similarity_vectors;
constexpr std::size_t similarity_shared_bytes =
    sizeof(uint4) * similarity_stages * chunk_bins * similarity_columns;
/// After so many chunks, sums are added in memory, in single precision: the error of a sum on tensor cores
/// grows with its length.
constexpr int similarity_chunks_of_sum = 128;

struct SimilarityTask {
    const uint4* queries = nullptr;  ///< [packed bin][query_stride]
    std::size_t query_stride = 0;    ///< a multiple of similarity_queries
    const uint4* vectors = nullptr;  ///< [packed bin][vector_stride]
    std::size_t vector_stride = 0;   ///< a multiple of similarity_vectors
    std::uint32_t chunks = 0;
    std::uint32_t parts = 1;  ///< of the chunks, at most `chunks`; each has its own blocks
    float* out = nullptr;     ///< [part][query][out_stride]
    std::size_t out_stride = 0;
    std::uint32_t query_count = 0;   ///< queries to write
    std::uint32_t vector_count = 0;  ///< vectors to write, even
};

/// Shared memory holds the features of counts: [stage][bin of the chunk][queries, then vectors].
constexpr std::uint32_t piece_bytes = sizeof(uint4);
constexpr std::uint32_t row_bytes = piece_bytes * similarity_columns;
constexpr std::uint32_t stage_bytes = row_bytes * chunk_bins;

/// Blocks are numbered along the queries first, then along the vectors, then along the parts: blocks that run
/// at once share gallery vectors.
__global__ void __launch_bounds__(similarity_threads, 1) similarity_kernel(SimilarityTask task) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    extern __shared__ uint4 stages[];
    const auto shared = static_cast<std::uint32_t>(__cvta_generic_to_shared(stages));
    const std::uint32_t rows = static_cast<std::uint32_t>(task.query_stride) / similarity_queries;
    const std::uint32_t columns = static_cast<std::uint32_t>(task.vector_stride) / similarity_vectors;
    const std::uint32_t first_query = blockIdx.x % rows * similarity_queries;
    const std::uint32_t first_vector = blockIdx.x / rows % columns * similarity_vectors;
    const std::uint32_t part = blockIdx.x / (rows * columns);
    const std::uint32_t begin = task.chunks * part / task.parts;
    const std::uint32_t end_of_part = task.chunks * (part + 1) / task.parts;
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;

    // A thread loads a column of vectors, and half a column of queries.
    const int query_column = threadIdx.x % similarity_queries, query_bin = threadIdx.x / similarity_queries;
    const uint4* next_queries =
        task.queries + (begin * chunk_bins + query_bin) * task.query_stride + first_query + query_column;
    const uint4* next_vectors =
        task.vectors + begin * chunk_bins * task.vector_stride + first_vector + threadIdx.x;
    const std::uint32_t query_place = shared + piece_bytes * (query_bin * similarity_columns + query_column);
    const std::uint32_t vector_place = shared + piece_bytes * (similarity_queries + threadIdx.x);
    std::uint32_t chunk_loading = begin;
    const auto start_loading = [&] {
        if (chunk_loading < end_of_part) {
            const std::uint32_t stage = chunk_loading % similarity_stages * stage_bytes;
#pragma unroll
            for (int bin = 0; bin < chunk_bins; bin += 2) {
                copy_async(query_place + stage + bin * row_bytes, next_queries);
                next_queries += 2 * task.query_stride;
            }
#pragma unroll
            for (int bin = 0; bin < chunk_bins; ++bin) {
                copy_async(vector_place + stage + bin * row_bytes, next_vectors);
                next_vectors += task.vector_stride;
            }
        }
        ++chunk_loading;
        commit_copies();
    };

    // A lane's row of the four 8 × 8 matrices of an instruction begins here. Matrices of queries follow each
    // other along rows first, matrices of vectors along bins.
    const int matrix = lane / 8, row = lane % 8;
    const std::uint32_t query_rows =
        shared + piece_bytes * (matrix / 2 * similarity_columns + warp / 4 * 64 + matrix % 2 * 8 + row);
    const std::uint32_t vector_rows =
        shared + piece_bytes * (matrix % 2 * similarity_columns + similarity_queries + warp % 4 * 64 +
                                matrix / 2 * 8 + row);

    for (int i = 0; i < similarity_stages - 1; ++i) start_loading();
    for (std::uint32_t chunk = begin; chunk < end_of_part;) {
        const bool first_sum = chunk == begin;
        float sums[4][8][4] = {};
        const std::uint32_t end = min(end_of_part, chunk + similarity_chunks_of_sum);
        for (; chunk < end; ++chunk) {
            wait_for_copies<similarity_stages - 2>();
            __syncthreads();
            start_loading();
            const std::uint32_t stage = chunk % similarity_stages * stage_bytes;
#pragma unroll
            for (int bin = 0; bin < chunk_bins; bin += 2) {
                std::uint32_t queries[4][4];
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    load_matrices(queries[i], query_rows + stage + bin * row_bytes + i * 16 * piece_bytes);
                }
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    std::uint32_t vectors[4];
                    load_matrices(vectors, vector_rows + stage + bin * row_bytes + j * 16 * piece_bytes);
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        add_half_products(sums[i][2 * j], queries[i], vectors[0], vectors[1]);
                        add_half_products(sums[i][2 * j + 1], queries[i], vectors[2], vectors[3]);
                    }
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const std::uint32_t query = first_query + warp / 4 * 64 + i * 16 + half * 8 + lane / 4;
                const std::uint32_t vector = first_vector + warp % 4 * 64 + lane % 4 * 2;
                float* const to =
                    task.out + (static_cast<std::size_t>(part) * task.query_count + query) * task.out_stride +
                    vector;
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    if (query >= task.query_count || vector + 8 * j >= task.vector_count) continue;
                    auto* const pair = reinterpret_cast<float2*>(to + 8 * j);
                    const float2 before = first_sum ? float2{0, 0} : *pair;
                    *pair = {before.x + sums[i][j][2 * half], before.y + sums[i][j][2 * half + 1]};
                }
            }
        }
    }
#endif
}

}  // namespace fovea::cuda_backend
