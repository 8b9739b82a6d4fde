#pragma once

#include <cstdint>

#include "kernels/core/gpu_launch.cuh"
#include "kernels/optical_flow/flow_body.hpp"

namespace fovea::cuda_backend {

inline constexpr int max_flow_levels = 24;

/// A level. Its pixels can be read and written as far outside of it as FlowPyramid::readable_border().
struct GpuFlowLevel {
    std::uint8_t* origin;
    int width, height;
    long long stride;
};

// Pixel (x, y) of the level above `image`; must lie inside that level.
__device__ inline std::uint8_t halved_pixel(const ImageView<const std::uint8_t>& image, int x, int y) {
    const int weights[5] = {1, 4, 6, 4, 1};
    int columns[5];
#pragma unroll
    for (int i = 0; i < 5; ++i) columns[i] = mirrored(2 * x - 2 + i, image.width);
    int sum = 128;
#pragma unroll
    for (int j = 0; j < 5; ++j) {
        const std::uint8_t* const row = image.row(mirrored(2 * y - 2 + j, image.height));
        int row_sum = 0;
#pragma unroll
        for (int i = 0; i < 5; ++i) row_sum += weights[i] * row[columns[i]];
        sum += weights[j] * row_sum;
    }
    return static_cast<std::uint8_t>(sum >> 8);
}

/// The task of making a level with its border.
struct FlowLevelTask {
    ImageView<const std::uint8_t> from;
    GpuFlowLevel to;
    Size border;
    bool halves;      ///< `from` is the level below; else it is copied
    unsigned blocks;  ///< of grid_block_width x grid_block_height threads
};

/// Does two tasks that do not depend on each other, by one launch.
__global__ void __launch_bounds__(grid_block_width* grid_block_height)
    flow_level_kernel(const __grid_constant__ FlowLevelTask first,
                      const __grid_constant__ FlowLevelTask second) {
    const bool is_first = blockIdx.x < first.blocks;
    const FlowLevelTask& task = is_first ? first : second;
    const unsigned block = is_first ? blockIdx.x : blockIdx.x - first.blocks;
    const int width = task.to.width + 2 * task.border.width;
    const unsigned columns = (static_cast<unsigned>(width) + grid_block_width - 1) / grid_block_width;
    const int x = static_cast<int>(block % columns * grid_block_width + threadIdx.x) - task.border.width;
    const int y = static_cast<int>(block / columns * grid_block_height + threadIdx.y) - task.border.height;
    if (x >= task.to.width + task.border.width || y >= task.to.height + task.border.height) return;
    const int inside_x = mirrored(x, task.to.width), inside_y = mirrored(y, task.to.height);
    task.to.origin[y * task.to.stride + x] =
        task.halves ? halved_pixel(task.from, inside_x, inside_y) : task.from(inside_x, inside_y);
}

}  // namespace fovea::cuda_backend
