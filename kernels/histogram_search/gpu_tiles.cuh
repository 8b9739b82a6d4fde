#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/histogram_search/histogram_terms_body.hpp"
#include "kernels/histogram_search/search_plan.hpp"

// How gallery vectors lie in a GPU's memory: in tiles of 128 vectors. A tile has a plane with the low bytes
// of counts, [chunk of 4 packed bins][vector][4 counts], of which a warp reads a chunk of all vectors in 512
// bytes, and a plane with their high bytes. Few counts need both: a search reads the high bytes only of wide
// chunks, which are marked. The vectors' own sums follow, 8 bytes each, and the marks, a byte for each chunk.
namespace fovea::cuda_backend {

constexpr int tile_vectors = 128;
constexpr int chunk_bins = 4;
constexpr int warp_lanes = 32;
/// Vectors of a tile that a lane of a warp has.
constexpr int lane_vectors = tile_vectors / warp_lanes;
/// The longest segment: its terms add up to less than 2^32.
constexpr std::uint32_t max_bins_of_gpu_segment = 1024;

/// The vectors of a gallery, for kernels.
struct GalleryView {
    std::byte* const* tiles = nullptr;  ///< [tile]
    std::uint32_t size = 0;             ///< number of vectors
    std::uint32_t chunks = 0;           ///< of a vector
    std::size_t own_offset = 0;         ///< of the own sums in a tile, behind one plane or two

    /// The word of a vector's chunk in a plane.
    __device__ static std::size_t word_of(std::uint32_t chunk, std::uint32_t vector_in_tile) {
        return static_cast<std::size_t>(chunk) * tile_vectors + vector_in_tile;
    }
    __device__ std::size_t words_of_plane() const { return word_of(chunks, 0); }
    /// A tile's marks: [chunk], 1 where a count is above 255.
    __device__ std::uint8_t* marks(std::byte* tile) const {
        return reinterpret_cast<std::uint8_t*>(tile + own_offset + tile_vectors * sizeof(std::int64_t));
    }
    __device__ std::int64_t& own(std::uint32_t vector) const {
        std::byte* const tile = tiles[vector / tile_vectors];
        return reinterpret_cast<std::int64_t*>(tile + own_offset)[vector % tile_vectors];
    }
};

/// A SearchPlan's parts, for kernels.
struct PlanView {
    const SearchSegment* segments = nullptr;
    int segment_count = 0;
    const std::uint32_t* source = nullptr;  ///< [packed bin]
    std::uint32_t packed_bins = 0;
    std::uint32_t layout_bins = 0;
    HistogramDistance distance = HistogramDistance::chi_square;
    HistogramTerm term = HistogramTerm::harmonic;
    int bits = 0;
};

/// The segment of a packed bin.
__device__ inline int segment_of(const PlanView& plan, std::uint32_t bin) {
    int low = 0, high = plan.segment_count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (plan.segments[middle].first <= bin) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/// Four counts of a vector: their low bytes and, if the chunk is wide, their high bytes.
template <bool is_wide>
struct FourCounts {
    std::uint32_t low;
    std::uint32_t high;

    __device__ std::uint32_t count(int bin) const {
        return __byte_perm(low, 0, 0x4440 + bin) | raised_by_256(bin);
    }
    /// The count plus 2^23, as a float.
    __device__ float raised(int bin) const {
        return __uint_as_float(__byte_perm(low, 0x4B000000U, 0x7650 + bin) | raised_by_256(bin));
    }

  private:
    __device__ std::uint32_t raised_by_256(int bin) const {
        return is_wide ? __byte_perm(high, 0, 0x4404 + 16 * bin) : 0;
    }
};

/// A lane's part of one plane's chunk: its vectors, lane_vectors * lane and the next ones, have a word each.
__device__ inline uint4 load_lane_words(const std::byte* plane, std::uint32_t chunk, int lane) {
    return __ldg(reinterpret_cast<const uint4*>(plane) + chunk * warp_lanes + lane);
}
__device__ inline std::uint32_t word_at(const uint4& words, int index) {
    return index == 0 ? words.x : index == 1 ? words.y : index == 2 ? words.z : words.w;
}

/// A vector's counts of one chunk.
__device__ inline FourCounts<true> load_counts(const GalleryView& gallery, std::uint32_t vector,
                                               std::uint32_t chunk) {
    std::byte* const tile = gallery.tiles[vector / tile_vectors];
    const auto* const words =
        reinterpret_cast<const std::uint32_t*>(tile) + GalleryView::word_of(chunk, vector % tile_vectors);
    return {words[0], gallery.marks(tile)[chunk] != 0 ? words[gallery.words_of_plane()] : 0};
}

/// A query's count of 0 as kernels read it. Harmonic terms have 2^-60, as bits: it adds nothing, and no sum
/// of counts with it is 0.
__device__ constexpr std::uint32_t prepared_zero(HistogramTerm term) {
    return term == HistogramTerm::harmonic ? (127U - 60U) << 23 : 0;
}

/// A query's count as kernels read it: for harmonic terms, the bits of a float.
__device__ inline std::uint32_t prepared_count(HistogramTerm term, std::uint32_t count) {
    if (count == 0) return prepared_zero(term);
    return term == HistogramTerm::harmonic ? __float_as_uint(static_cast<float>(count)) : count;
}

/// 1 / n, rounded to float, for whole n from 1 to 131,070 and for 2^-60. It works as in
/// tile_terms.cpp, but with one step, since the instruction's error is below 2^-21.
__device__ inline float harmonic_reciprocal(float n) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(n));
    return __fmaf_rn(r, __fmaf_rn(-n, r, 1.0F), r);
}

constexpr float harmonic_magic = 12582912.0F;  // 1.5 · 2^23: see chi_square_term
constexpr std::uint32_t harmonic_magic_bits = 0x4B400000U;

/// The bits of harmonic_magic + chi_square_term(). \param scale 2^(bits + 2).
__device__ inline std::uint32_t scaled_harmonic_term(float a, float b, float scale) {
    const float term = __fmul_rn(__fmul_rn(a, b), harmonic_reciprocal(__fadd_rn(a, b)));
    // A power of two scales exactly, wherever it is multiplied in.
    return __float_as_uint(__fmaf_rn(term, scale, harmonic_magic));
}

}  // namespace fovea::cuda_backend
