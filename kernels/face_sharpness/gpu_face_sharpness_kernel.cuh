#pragma once

#include <cuda_runtime.h>

#include "kernels/face_sharpness/face_sharpness.hpp"

namespace fovea::cuda_backend {

inline constexpr unsigned sharpness_threads = 512;

/// The shared memory of a block.
struct SharpnessBlock {
    std::uint8_t grid[sharpness_side * sharpness_side];
    int sums[sharpness_threads];
    /// Sums of up to 62 · 62 squares of numbers up to 1,020: below 2^32.
    unsigned squares[sharpness_threads];
};
extern __shared__ SharpnessBlock sharpness_block[];

/// Adds up the Laplacian of a face: a block of sharpness_threads for each.
static __global__ void __launch_bounds__(sharpness_threads)
    laplacian_kernel(const ImageView<const std::uint8_t>* images, const SharpnessTask* tasks,
                     LaplacianSums* sums) {
    SharpnessBlock& block = sharpness_block[0];
    const SharpnessTask task = tasks[blockIdx.x];
    const ImageView<const std::uint8_t> image = images[task.image];
    const Rect face = task.face;
    const std::uint64_t weight = std::uint64_t{span_weight(face.width)} * span_weight(face.height);
    for (unsigned i = threadIdx.x; i < sharpness_side * sharpness_side; i += sharpness_threads) {
        const CellSpan columns = cell_span(face.width, static_cast<int>(i % sharpness_side));
        const CellSpan rows = cell_span(face.height, static_cast<int>(i / sharpness_side));
        std::uint64_t sum = 0;
        for (int y = rows.first; y <= rows.last; ++y) {
            const std::uint8_t* const row = image.row(face.y + y) + face.x;
            std::uint64_t row_sum = 0;
            for (int x = columns.first; x <= columns.last; ++x) row_sum += columns.weight(x) * row[x];
            sum += rows.weight(y) * row_sum;
        }
        block.grid[i] = cell_level(sum, weight);
    }
    __syncthreads();
    int sum = 0;
    unsigned squares = 0;
    for (unsigned i = threadIdx.x; i < sharpness_side * sharpness_side; i += sharpness_threads) {
        const unsigned x = i % sharpness_side, y = i / sharpness_side;
        if (x == 0 || y == 0 || x == sharpness_side - 1 || y == sharpness_side - 1) continue;
        const int value = laplacian(block.grid + i);
        sum += value;
        squares += static_cast<unsigned>(value * value);
    }
    block.sums[threadIdx.x] = sum;
    block.squares[threadIdx.x] = squares;
    for (unsigned half = sharpness_threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x >= half) continue;
        block.sums[threadIdx.x] += block.sums[threadIdx.x + half];
        block.squares[threadIdx.x] += block.squares[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = {block.sums[0], static_cast<std::int64_t>(block.squares[0])};
}

}  // namespace fovea::cuda_backend
