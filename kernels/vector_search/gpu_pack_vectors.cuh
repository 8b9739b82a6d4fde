#pragma once

#include "kernels/core/gpu_warp.cuh"
#include "kernels/vector_search/gpu_vector_tiles.cuh"

namespace fovea::cuda_backend {

constexpr int pack_threads = 256;

/// Puts rows into tiles, from vector `first` on: a thread makes the bytes of 16 components, and threads of
/// the same number in x do neighbouring vectors. \param rows [count][length].
static __global__ void __launch_bounds__(pack_threads)
    pack_vectors_kernel(VectorTiles tiles, const std::int16_t* rows, std::uint32_t length,
                        std::uint32_t first, std::uint32_t count) {
    const std::uint32_t row = blockIdx.x * pack_threads + threadIdx.x;
    if (row >= count) return;
    const std::uint32_t vector = first + row, piece = blockIdx.y, begin = piece * piece_components;
    const std::int16_t* const from = rows + static_cast<std::size_t>(row) * length;
    std::uint32_t high[4] = {}, low[4] = {};
    for (int i = 0; i < piece_components; ++i) {
        if (begin + i >= length) break;
        const auto component = static_cast<std::uint16_t>(from[begin + i]);
        high[i / 4] |= static_cast<std::uint32_t>(component >> 8) << (i % 4 * 8);
        low[i / 4] |= static_cast<std::uint32_t>(component & 255) << (i % 4 * 8);
    }
    constexpr std::uint32_t pieces_of_chunk = chunk_components / piece_components;
    const std::size_t chunk =
        static_cast<std::size_t>(vector / tile_rows) * tiles.chunks + piece / pieces_of_chunk;
    uint4* const to =
        tiles.pieces + chunk * chunk_pieces + piece % pieces_of_chunk * tile_rows + vector % tile_rows;
    to[0] = make_uint4(high[0], high[1], high[2], high[3]);
    to[plane_pieces] = make_uint4(low[0], low[1], low[2], low[3]);
}

/// Sums the squares of rows, a warp for each, and writes the terms of the vectors from `first` on.
/// \param rows [count][length]. \param padded number of terms to write, those behind `count` for no vectors.
/// \param range takes in the vectors' own terms.
static __global__ void __launch_bounds__(pack_threads)
    vector_terms_kernel(VectorTiles tiles, VectorDistance distance, const std::int16_t* rows,
                        std::uint32_t length, std::uint32_t first, std::uint32_t count, std::uint32_t padded,
                        OwnRangeBits* range) {
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t row = (blockIdx.x * pack_threads + threadIdx.x) / 32;
    if (row >= padded) return;
    if (row >= count) {
        if (lane == 0) tiles.terms[first + row] = {no_filter_term(), 0};
        return;
    }
    const std::int16_t* const from = rows + static_cast<std::size_t>(row) * length;
    long long squares = 0;
    for (std::uint32_t i = lane; i < length; i += 32) {
        const long long component = from[i];
        squares += component * component;
    }
    for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(all_lanes, squares, step);
    if (lane != 0) return;
    const double own = vector_own(distance, squares);
    tiles.terms[first + row] = {filter_term(distance, own), own};
    if (own == 0) return;
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(own));
    atomicMin(&range->least, bits);
    atomicMax(&range->largest, bits);
}

}  // namespace fovea::cuda_backend
