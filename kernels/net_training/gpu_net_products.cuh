#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

// The products of matrices in a network's training, and the maps that they read: see gpu_net_kernels.cuh.
namespace fovea::cuda_backend {

/// Memory that the threads of a block share.
extern __shared__ uint4 shared_words[];

/// The result of a layer: `values`, or what normalisation and rectification make of them.
struct MapView {
    const float* values;
    const float* factors;  ///< [channel]; null: the values
    const float* offsets;
};

__device__ inline float value_at(const MapView& map, std::size_t at, int channel) {
    const float value = map.values[at];
    if (map.factors == nullptr) return value;
    return max(0.0F, __fmaf_rn(map.factors[channel], value, map.offsets[channel]));
}

/// Four values from a channel on that is a multiple of four.
__device__ inline float4 four_values_at(const MapView& map, std::size_t at, int channel) {
    float4 four = *reinterpret_cast<const float4*>(map.values + at);
    if (map.factors == nullptr) return four;
    const float4 factor = *reinterpret_cast<const float4*>(map.factors + channel);
    const float4 offset = *reinterpret_cast<const float4*>(map.offsets + channel);
    four.x = max(0.0F, __fmaf_rn(factor.x, four.x, offset.x));
    four.y = max(0.0F, __fmaf_rn(factor.y, four.y, offset.y));
    four.z = max(0.0F, __fmaf_rn(factor.z, four.z, offset.z));
    four.w = max(0.0F, __fmaf_rn(factor.w, four.w, offset.w));
    return four;
}

constexpr unsigned product_threads = 128;
/// Terms of the sums that are in shared memory at once.
constexpr int product_depth = 16;
/// Rows that a block makes of so many columns; a thread makes 8×4 results.
template <int columns>
constexpr int product_rows = static_cast<int>(product_threads) * 32 / columns;
/// Keeps columns of the left side out of each other's banks.
template <int columns>
constexpr int product_pitch = product_rows<columns> + 4;
template <int columns>
constexpr std::size_t product_shared_bytes = sizeof(float) * product_depth*(product_pitch<columns> + columns);

struct ProductTask {
    MapView left;          ///< [row][depth]
    const float* weights;  ///< [depth][output], or [output][depth] if `transposed`
    float* to;             ///< [row][output]
    std::uint32_t rows;
    int depth, outputs;
    bool adds;  ///< to what is there
};

/// to = left · weights: a pointwise convolution, or its gradient by its input (transposed). A block makes
/// product_rows rows, from blockIdx.x on, of `columns` outputs, from blockIdx.y on. Each sum has the order of
/// the CPU's.
template <int columns, bool transposed>
static __global__ void __launch_bounds__(product_threads) product_kernel(ProductTask task) {
    constexpr int rows = product_rows<columns>, pitch = product_pitch<columns>;
    float* left = reinterpret_cast<float*>(shared_words);  // [depth][row]
    float* right = left + product_depth * pitch;           // [depth][column]
    const int thread = static_cast<int>(threadIdx.x);
    const std::uint32_t first_row = blockIdx.x * rows;
    const int first_output = static_cast<int>(blockIdx.y) * columns;
    const int column = thread % (columns / 4) * 4, row = thread / (columns / 4) * 8;
    float sums[8][4] = {};
    for (int k = 0; k < task.depth; k += product_depth) {
        for (int i = thread; i < rows * 4; i += product_threads) {
            const int r = i / 4, part = i % 4 * 4;
            float4 four{0, 0, 0, 0};
            if (first_row + r < task.rows) {
                const std::size_t at = static_cast<std::size_t>(first_row + r) * task.depth + k + part;
                four = four_values_at(task.left, at, k + part);
            }
            float* to = left + part * pitch + r;
            to[0] = four.x;
            to[pitch] = four.y;
            to[2 * pitch] = four.z;
            to[3 * pitch] = four.w;
        }
        for (int i = thread; i < product_depth * columns; i += product_threads) {
            // Neighbouring threads read neighbouring weights.
            const int d = transposed ? i % product_depth : i / columns;
            const int c = transposed ? i / product_depth : i % columns;
            right[d * columns + c] = task.weights[transposed ? (first_output + c) * task.depth + k + d
                                                             : (k + d) * task.outputs + first_output + c];
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < product_depth; ++d) {
            const float4 b = *reinterpret_cast<const float4*>(right + d * columns + column);
            const float4 low = *reinterpret_cast<const float4*>(left + d * pitch + row);
            const float4 high = *reinterpret_cast<const float4*>(left + d * pitch + row + 4);
            const float a[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
            for (int r = 0; r < 8; ++r) {
                sums[r][0] = __fmaf_rn(a[r], b.x, sums[r][0]);
                sums[r][1] = __fmaf_rn(a[r], b.y, sums[r][1]);
                sums[r][2] = __fmaf_rn(a[r], b.z, sums[r][2]);
                sums[r][3] = __fmaf_rn(a[r], b.w, sums[r][3]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        if (first_row + row + r >= task.rows) break;
        auto* to = reinterpret_cast<float4*>(
            task.to + static_cast<std::size_t>(first_row + row + r) * task.outputs + first_output + column);
        float4 four{sums[r][0], sums[r][1], sums[r][2], sums[r][3]};
        if (task.adds) {
            four.x += to->x;
            four.y += to->y;
            four.z += to->z;
            four.w += to->w;
        }
        *to = four;
    }
}

constexpr unsigned outer_threads = 256;
/// Rows that are in shared memory at once.
constexpr int outer_rows = 32;
/// For the rows, and in the end for the sums of the groups of threads.
constexpr std::size_t outer_shared_bytes = sizeof(float) * outer_threads * 16;

struct OuterTask {
    MapView left;                      ///< [row][depth]
    const float* gradient;             ///< [row][output]
    float* parts;                      ///< [part][depth][output]
    std::uint32_t rows, rows_of_part;  ///< the latter a multiple of outer_rows
    int depth, outputs;
};

/// parts = leftᵀ · gradient over the rows of each part: the gradient of a pointwise convolution by its
/// weights. A block makes `tall` × `wide` sums of part blockIdx.x. A thread has 4×4 of them, of every so many
/// rows: groups of threads share the rows.
template <int tall, int wide>
static __global__ void __launch_bounds__(outer_threads) outer_kernel(OuterTask task) {
    constexpr int threads_of_group = tall / 4 * (wide / 4);
    constexpr int groups = static_cast<int>(outer_threads) / threads_of_group;
    float* left = reinterpret_cast<float*>(shared_words);  // [row][tall]
    float* right = left + outer_rows * tall;               // [row][wide]
    const int thread = static_cast<int>(threadIdx.x);
    const int group = thread / threads_of_group, place = thread % threads_of_group;
    const int y = place / (wide / 4) * 4, x = place % (wide / 4) * 4;
    const int first_input = static_cast<int>(blockIdx.y) / (task.outputs / wide) * tall;
    const int first_output = static_cast<int>(blockIdx.y) % (task.outputs / wide) * wide;
    const std::uint32_t begin = blockIdx.x * task.rows_of_part;
    const std::uint32_t end = min(begin + task.rows_of_part, task.rows);
    float sums[4][4] = {};
    for (std::uint32_t row = begin; row < end; row += outer_rows) {
        for (int i = thread; i < outer_rows * tall / 4; i += outer_threads) {
            const int r = i / (tall / 4), part = i % (tall / 4) * 4;
            float4 four{0, 0, 0, 0};
            if (row + r < end) {
                const int channel = first_input + part;
                four = four_values_at(task.left, static_cast<std::size_t>(row + r) * task.depth + channel,
                                      channel);
            }
            *reinterpret_cast<float4*>(left + r * tall + part) = four;
        }
        for (int i = thread; i < outer_rows * wide / 4; i += outer_threads) {
            const int r = i / (wide / 4), part = i % (wide / 4) * 4;
            float4 four{0, 0, 0, 0};
            if (row + r < end) {
                four = *reinterpret_cast<const float4*>(
                    task.gradient + static_cast<std::size_t>(row + r) * task.outputs + first_output + part);
            }
            *reinterpret_cast<float4*>(right + r * wide + part) = four;
        }
        __syncthreads();
#pragma unroll 4
        for (int r = group; r < outer_rows; r += groups) {
            const float4 four = *reinterpret_cast<const float4*>(left + r * tall + y);
            const float4 b = *reinterpret_cast<const float4*>(right + r * wide + x);
            const float a[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                sums[i][0] = __fmaf_rn(a[i], b.x, sums[i][0]);
                sums[i][1] = __fmaf_rn(a[i], b.y, sums[i][1]);
                sums[i][2] = __fmaf_rn(a[i], b.z, sums[i][2]);
                sums[i][3] = __fmaf_rn(a[i], b.w, sums[i][3]);
            }
        }
        __syncthreads();
    }
    float* of_groups = left;  // [group][tall][wide]
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) of_groups[(group * tall + y + i) * wide + x + j] = sums[i][j];
    }
    __syncthreads();
    float* part = task.parts + static_cast<std::size_t>(blockIdx.x) * task.depth * task.outputs;
    for (int i = thread; i < tall * wide; i += outer_threads) {
        float sum = 0;
        for (int g = 0; g < groups; ++g) sum += of_groups[g * tall * wide + i];
        part[(first_input + i / wide) * task.outputs + first_output + i % wide] = sum;
    }
}

}  // namespace fovea::cuda_backend
