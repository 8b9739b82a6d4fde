#pragma once

#include "kernels/histogram_search/gpu_tiles.cuh"

// Counts turned into the features of chi_square_features(), in half precision: 16 bytes for each count.
namespace fovea::cuda_backend {

constexpr int feature_threads = 256;
constexpr int feature_chunks = 16;  // of a block

/// Makes the features of the vectors of tiles first_tile, first_tile + 1, ...; 0 behind the last vector.
/// Block (x, y) has tile first_tile + x and part y of the chunks. \param table [largest + 1], also in shared
/// memory. \param out receives [packed bin][stride], from the first tile's first vector on.
__global__ void __launch_bounds__(feature_threads)
    gallery_features_kernel(GalleryView gallery, std::uint32_t first_tile, const uint4* __restrict__ table,
                            std::uint32_t largest, std::size_t stride, uint4* __restrict__ out) {
    extern __shared__ uint4 features[];
    for (std::uint32_t i = threadIdx.x; i <= largest; i += feature_threads) features[i] = table[i];
    __syncthreads();
    const std::uint32_t lane = threadIdx.x % tile_vectors;
    const std::uint32_t tile = first_tile + blockIdx.x;
    const std::uint32_t vector = tile * tile_vectors + lane;
    const std::uint32_t begin = blockIdx.y * feature_chunks;
    const std::uint32_t end = min(begin + feature_chunks, gallery.chunks);
    for (std::uint32_t chunk = begin + threadIdx.x / tile_vectors; chunk < end;
         chunk += feature_threads / tile_vectors) {
        FourCounts<true> counts{};
        if (vector < gallery.size) counts = load_counts(gallery, vector, chunk);
#pragma unroll
        for (int bin = 0; bin < chunk_bins; ++bin) {
            // Counts that come from the device are not checked before.
            out[(chunk * chunk_bins + bin) * stride + blockIdx.x * tile_vectors + lane] =
                features[min(counts.count(bin), largest)];
        }
    }
}

/// Makes the features of prepared queries, times their bins' weights; 0 from `count` to `stride`.
/// \param tables [weight][largest + 1]. \param table_of_bin [packed bin].
/// \param out receives [packed bin][stride].
__global__ void __launch_bounds__(feature_threads)
    query_features_kernel(const std::uint32_t* __restrict__ prepared, std::uint32_t count,
                          std::uint32_t packed_bins, const std::uint16_t* __restrict__ table_of_bin,
                          const uint4* __restrict__ tables, std::uint32_t largest, std::size_t stride,
                          uint4* __restrict__ out) {
    // Neighbouring queries are written together.
    const std::uint32_t query = blockIdx.x * warp_lanes + threadIdx.x % warp_lanes;
    const std::uint32_t bin = blockIdx.y * (feature_threads / warp_lanes) + threadIdx.x / warp_lanes;
    if (query >= stride || bin >= packed_bins) return;
    uint4 features{};
    if (query < count) {
        const auto value = static_cast<std::uint32_t>(
            __uint_as_float(prepared[static_cast<std::size_t>(query) * packed_bins + bin]));
        features = tables[table_of_bin[bin] * (largest + 1) + min(value, largest)];
    }
    out[bin * stride + query] = features;
}

}  // namespace fovea::cuda_backend
