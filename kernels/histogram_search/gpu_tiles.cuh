#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/histogram_search/histogram_terms_body.hpp"
#include "kernels/histogram_search/search_plan.hpp"

// How gallery vectors lie in a GPU's memory: in tiles of 128 vectors,
// [chunk of 4 packed bins][vector][4 counts]. A warp reads one chunk of all vectors in 512 bytes (8-bit
// counts) or 1024. The vectors' own sums follow, 8 bytes each.
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
    std::size_t count_bytes = 0;        ///< of a tile's counts; its vectors' own sums follow

    __device__ std::int64_t& own(std::uint32_t vector) const {
        std::byte* const tile = tiles[vector / tile_vectors];
        return reinterpret_cast<std::int64_t*>(tile + count_bytes)[vector % tile_vectors];
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

/// A lane's counts of one chunk, as they lie in the tile.
template <class Count>
struct LaneChunk;

template <>
struct LaneChunk<std::uint8_t> {
    uint4 words;  // one vector each

    static __device__ LaneChunk load(const std::byte* tile, std::uint32_t chunk, int lane) {
        return {__ldg(reinterpret_cast<const uint4*>(tile) + chunk * warp_lanes + lane)};
    }
    static __device__ int vector(int lane, int index) { return lane_vectors * lane + index; }
    __device__ std::uint32_t count(int index, int bin) const {
        return __byte_perm(word(index), 0, 0x4440 + bin);
    }
    /// The count plus 2^23, as a float.
    __device__ float raised(int index, int bin) const {
        return __uint_as_float(__byte_perm(word(index), 0x4B000000U, 0x7650 + bin));
    }

  private:
    __device__ std::uint32_t word(int index) const {
        return index == 0 ? words.x : index == 1 ? words.y : index == 2 ? words.z : words.w;
    }
};

template <>
struct LaneChunk<std::uint16_t> {
    uint4 words[2];  // two vectors each

    static __device__ LaneChunk load(const std::byte* tile, std::uint32_t chunk, int lane) {
        const uint4* const from = reinterpret_cast<const uint4*>(tile) + chunk * (2 * warp_lanes) + lane;
        return {{__ldg(from), __ldg(from + warp_lanes)}};
    }
    static __device__ int vector(int lane, int index) {
        return index / 2 * (tile_vectors / 2) + 2 * lane + index % 2;
    }
    __device__ std::uint32_t count(int index, int bin) const {
        return __byte_perm(word(index, bin), 0, bin % 2 == 0 ? 0x4410 : 0x4432);
    }
    __device__ float raised(int index, int bin) const {
        return __uint_as_float(__byte_perm(word(index, bin), 0x4B000000U, bin % 2 == 0 ? 0x7610 : 0x7632));
    }

  private:
    __device__ std::uint32_t word(int index, int bin) const {
        const uint4& pair = words[index / 2];
        return index % 2 == 0 ? (bin < 2 ? pair.x : pair.y) : (bin < 2 ? pair.z : pair.w);
    }
};

/// Replaces a count of 0 in a query of harmonic terms: it adds nothing, and no sum of counts with it is 0.
constexpr float harmonic_zero = 0x1p-60F;

/// A query's count as kernels read it: for harmonic terms, the bits of a float.
__device__ inline std::uint32_t prepared_count(HistogramTerm term, std::uint32_t count) {
    if (term != HistogramTerm::harmonic) return count;
    return __float_as_uint(count == 0 ? harmonic_zero : static_cast<float>(count));
}

/// 1 / n, rounded to float, for whole n from 1 to 131,070 and for harmonic_zero. It works as in
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
