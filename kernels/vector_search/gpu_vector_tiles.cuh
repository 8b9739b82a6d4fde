#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "kernels/vector_search/vector_distance_body.hpp"

// How vectors lie in a GPU's memory: in tiles of 64, each in chunks of 64 components,
// [chunk][high, then low bytes][16 components][vector][16 bytes]. A chunk of a tile is 8 KB that lie in one
// piece, and are copied to shared memory as they are: 8 vectors' bytes of 16 components follow each other, as
// ldmatrix reads them, so that its reads use all banks. A component is 256 times its high byte, with its
// sign, and its low byte, without.
namespace fovea::cuda_backend {

constexpr int tile_rows = 64;
constexpr int chunk_components = 64;
constexpr int piece_components = 16;  // of 16 bytes
constexpr int plane_pieces = chunk_components / piece_components * tile_rows;
constexpr int chunk_pieces = 2 * plane_pieces;

/// The parts of a vector that its ranks and the filter need.
struct alignas(16) VectorTerms {
    FilterTerm filter;
    double own;
};
static_assert(sizeof(VectorTerms) == 16);

/// Vectors for kernels, in whole blocks of queries.
struct VectorTiles {
    uint4* pieces = nullptr;       ///< [tile][chunk][chunk_pieces]
    VectorTerms* terms = nullptr;  ///< [vector]; no_filter_term() behind the last one
    std::uint32_t chunks = 0;      ///< of a tile
    std::uint32_t count = 0;
};

/// The bits of an OwnRange, so that threads can take the least and the largest in any order. Both are of
/// numbers that are not negative, whose bits order as they do.
struct OwnRangeBits {
    unsigned long long least;
    unsigned long long largest;
};

}  // namespace fovea::cuda_backend
