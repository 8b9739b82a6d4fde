#pragma once

#include <cstdint>

#include "kernels/core/gpu_launch.cuh"
#include "kernels/core/gpu_warp.cuh"
#include "kernels/optical_flow/good_features_body.hpp"

namespace fovea::cuda_backend {

/// A code that orders as its float does; 0 is the code of no number.
__device__ inline unsigned order_code(float value) {
    const unsigned bits = __float_as_uint(value);
    return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}
__device__ inline float value_of_code(unsigned code) {
    return __uint_as_float((code & 0x80000000U) != 0 ? code & 0x7FFFFFFFU : ~code);
}

struct CornerCounts {
    unsigned best_code;  ///< of the largest eigenvalue where corners are wanted; 0 if they are wanted nowhere
    unsigned counted;
    unsigned written;
};

struct EigenvalueTask {
    ImageView<const std::uint8_t> image, mask;
    ImageView<float> values;
    CornerCounts* counts;
};

/// A block walks down walked_columns columns, walked_rows rows at a time.
inline constexpr int walked_columns = grid_block_width, walked_rows = 32;

/// The rows on which a block of eigenvalue_kernel works. Columns outside of the image are undefined.
struct WalkedRows {
    CornerGradient gradients[walked_rows][walked_columns + 2];
    /// Summed over three columns, then also over three rows.
    double products[3][walked_rows][walked_columns];

    /// Makes the gradients of `rows` rows from (left - 1, top) on.
    __device__ void find_gradients(const ImageView<const std::uint8_t>& image, int left, int top, int rows) {
        constexpr int columns = walked_columns + 2;
        const int columns_in_image = min(columns, image.width - left + 2);
        for (int i = threadIdx.y * grid_block_width + threadIdx.x; i < rows * columns;
             i += grid_block_width * grid_block_height) {
            const int row = i / columns, column = i % columns;
            if (column >= columns_in_image) continue;
            gradients[row][column] = corner_gradient_at(image, left - 1 + column, top + row);
        }
    }

    __device__ void add_columns(int rows) {
        const unsigned x = threadIdx.x;
        for (int row = threadIdx.y; row < rows; row += grid_block_height) {
            const CornerGradient* const from = &gradients[row][x];
            const CornerProducts sums = row_products(from[0], from[1], from[2]);
            products[0][row][x] = sums.xx;
            products[1][row][x] = sums.xy;
            products[2][row][x] = sums.yy;
        }
    }

    /// Each product has a warp, and each column a lane, so that the order of rows is kept.
    __device__ void add_rows(RunningBlockSum& sum, int rows) {
        double(&column)[walked_rows][walked_columns] = products[threadIdx.y];
#pragma unroll 8
        for (int row = 0; row < rows; ++row) column[row][threadIdx.x] = sum.add(column[row][threadIdx.x]);
    }

    __device__ float eigenvalue(int row) const {
        const unsigned x = threadIdx.x;
        return smaller_eigenvalue(static_cast<float>(products[0][row][x]),
                                  static_cast<float>(products[1][row][x]),
                                  static_cast<float>(products[2][row][x]));
    }
};

/// Computes the eigenvalues of all pixels, and the largest where corners are wanted. A block has
/// walked_columns columns. Threads cannot share the sums over rows, which are added one after the other.
__global__ void __launch_bounds__(grid_block_width* grid_block_height)
    eigenvalue_kernel(const __grid_constant__ EigenvalueTask task) {
    __shared__ WalkedRows walked;
    const ImageView<const std::uint8_t>& image = task.image;
    const int left = static_cast<int>(blockIdx.x) * walked_columns;
    const int x = left + static_cast<int>(threadIdx.x);
    RunningBlockSum sum;
    unsigned best = 0;
    for (int top = -1; top <= image.height; top += walked_rows) {
        const int rows = min(walked_rows, image.height + 1 - top);
        walked.find_gradients(image, left, top, rows);
        __syncthreads();
        walked.add_columns(rows);
        __syncthreads();
        if (threadIdx.y < 3) walked.add_rows(sum, rows);
        __syncthreads();
        if (x >= image.width) continue;
        for (int row = threadIdx.y; row < rows; row += grid_block_height) {
            // The block ends at this row: its centre is the row above.
            const int y = top + row - 1;
            if (y < 0) continue;
            const float value = walked.eigenvalue(row);
            task.values(x, y) = value;
            if (task.mask.empty() || task.mask(x, y) != 0) best = max(best, order_code(value));
        }
    }
    constexpr unsigned sign = 0x80000000U;
    best = static_cast<unsigned>(warp_max(static_cast<int>(best ^ sign))) ^ sign;
    if (threadIdx.x == 0 && best != 0) atomicMax(&task.counts->best_code, best);
}

struct CornerTask {
    ImageView<const float> values;
    ImageView<const std::uint8_t> mask;
    double quality;
    CornerCounts* counts;
    std::uint64_t* keys;  ///< null: corners are only counted
};

/// Counts or writes the corners among all pixels that are not at the edges, in no order. The upper half of a
/// key is the eigenvalue's order_code(), the lower half the place, y · width + x: the largest key is the best
/// corner's, and the last in the image among equal ones.
__global__ void __launch_bounds__(grid_block_width* grid_block_height)
    corner_kernel(const __grid_constant__ CornerTask task) {
    const ImageView<const float>& values = task.values;
    const GridPosition inside = grid_position(values.width - 2);
    const int x = inside.x + 1, y = inside.y + 1;
    const unsigned best = task.counts->best_code;
    const bool found = best != 0 && x + 1 < values.width && y + 1 < values.height &&
                       (task.mask.empty() || task.mask(x, y) != 0) &&
                       is_corner(values, corner_threshold(value_of_code(best), task.quality), x, y);
    if (task.keys == nullptr) {
        const int count = __syncthreads_count(found ? 1 : 0);
        if (threadIdx.x == 0 && threadIdx.y == 0 && count > 0) {
            atomicAdd(&task.counts->counted, static_cast<unsigned>(count));
        }
    } else if (found) {
        const auto place = static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(values.width) +
                           static_cast<std::uint64_t>(x);
        task.keys[atomicAdd(&task.counts->written, 1U)] =
            static_cast<std::uint64_t>(order_code(values(x, y))) << 32 | place;
    }
}

}  // namespace fovea::cuda_backend
