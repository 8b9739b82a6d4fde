#pragma once

#include "kernels/histogram_search/gpu_tiles.cuh"

namespace fovea::cuda_backend {

constexpr int pack_threads = 128;
constexpr int pack_chunks = 16;  // of a block: rows are read by whole cache lines

/// Packs rows [count][layout_bins] into tiles, as vectors first, first + 1, ... A block has pack_chunks
/// chunks of a tile; blocks are numbered tile by tile, from the tile of vector `first` on.
/// \param has_high if tiles have a plane of high bytes.
__global__ void __launch_bounds__(pack_threads)
    pack_kernel(PlanView plan, GalleryView gallery, bool has_high, const std::uint16_t* __restrict__ rows,
                std::uint32_t first, std::uint32_t count) {
    const std::uint32_t blocks = (gallery.chunks + pack_chunks - 1) / pack_chunks;
    const std::uint32_t tile = first / tile_vectors + blockIdx.x / blocks;
    const std::uint32_t vector = tile * tile_vectors + threadIdx.x;
    if (vector < first || vector - first >= count) return;
    const std::uint16_t* const row = rows + static_cast<std::size_t>(vector - first) * plan.layout_bins;
    const std::uint32_t begin = blockIdx.x % blocks * pack_chunks;
    const std::uint32_t end = min(begin + pack_chunks, gallery.chunks);
    auto* const words = reinterpret_cast<std::uint32_t*>(gallery.tiles[tile]);
    std::uint8_t* const marks = gallery.marks(gallery.tiles[tile]);
    for (std::uint32_t chunk = begin; chunk < end; ++chunk) {
        std::uint32_t low = 0, high = 0;
        for (int i = 0; i < chunk_bins; ++i) {
            const std::uint32_t bin = plan.source[chunk * chunk_bins + i];
            const std::uint32_t value = bin == SearchPlan::no_bin ? 0 : row[bin];
            low |= (value & 255) << (8 * i);
            high |= value >> 8 << (8 * i);
        }
        const std::size_t word = GalleryView::word_of(chunk, threadIdx.x);
        words[word] = low;
        if (!has_high) continue;
        words[gallery.words_of_plane() + word] = high;
        if (high != 0) marks[chunk] = 1;
    }
}

/// Computes self_term() of a row by a warp; lane 0 has the result.
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

/// Computes the own sums of the rows of pack_kernel: one warp for each row.
__global__ void __launch_bounds__(pack_threads)
    own_sums_kernel(PlanView plan, GalleryView gallery, const std::uint16_t* __restrict__ rows,
                    std::uint32_t first, std::uint32_t count) {
    const std::uint32_t i = (blockIdx.x * pack_threads + threadIdx.x) / warp_lanes;
    if (i >= count) return;
    const std::int64_t own = own_sum_of_row(plan, rows + static_cast<std::size_t>(i) * plan.layout_bins);
    if (threadIdx.x % warp_lanes == 0) gallery.own(first + i) = own;
}

}  // namespace fovea::cuda_backend
