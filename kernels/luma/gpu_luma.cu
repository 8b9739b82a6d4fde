#include "kernels/core/gpu_launch.cuh"
#include "kernels/luma/gpu_luma.hpp"
#include "kernels/luma/luma_body.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr int max_tasks = 32;
constexpr int pixels_per_thread = 4;
constexpr int block_threads = 256;

// Travels with a launch; a block takes a piece of one row of one plane.
struct LumaBatch {
    LumaTask tasks[max_tasks];
    unsigned first_blocks[max_tasks];
    int count = 0;
};

__host__ __device__ unsigned blocks_of_row(int width) {
    constexpr unsigned pixels = block_threads * pixels_per_thread;
    return (static_cast<unsigned>(width) + pixels - 1) / pixels;
}

__device__ unsigned sample_at(const LumaPlane& luma, const std::uint8_t* row, int x) {
    const std::uint8_t* const from = row + static_cast<std::ptrdiff_t>(x) * luma.step_bytes;
    const unsigned word = luma.bits == 8 ? from[0] : from[0] | static_cast<unsigned>(from[1]) << 8;
    return (word >> luma.shift) & ((1U << luma.bits) - 1);
}

__global__ void luma_kernel(const __grid_constant__ LumaBatch batch) {
    int number = batch.count - 1;
    while (batch.first_blocks[number] > blockIdx.x) --number;
    const LumaPlane& luma = batch.tasks[number].luma;
    const unsigned block = blockIdx.x - batch.first_blocks[number];
    const unsigned blocks = blocks_of_row(luma.width);
    const int y = static_cast<int>(block / blocks);
    const int first = static_cast<int>((block % blocks) * block_threads + threadIdx.x) * pixels_per_thread;
    if (first >= luma.width) return;
    const std::uint8_t* const from = luma.data + y * luma.stride_bytes;
    std::uint8_t* const to = batch.tasks[number].grey.row(y) + first;
    // Four pixels are one word where they lie as one.
    const bool is_word =
        luma.bits == 8 && luma.step_bytes == 1 && first + pixels_per_thread <= luma.width &&
        ((reinterpret_cast<std::uintptr_t>(from + first) | reinterpret_cast<std::uintptr_t>(to)) & 3) == 0;
    if (is_word) {
        const std::uint32_t word = *reinterpret_cast<const std::uint32_t*>(from + first);
        std::uint32_t grey = 0;
        for (int i = 0; i < pixels_per_thread; ++i)
            grey |= static_cast<std::uint32_t>(grey_of_luma((word >> (8 * i)) & 255, 8, luma.is_full_range))
                    << (8 * i);
        *reinterpret_cast<std::uint32_t*>(to) = grey;
        return;
    }
    const int count = min(pixels_per_thread, luma.width - first);
    for (int i = 0; i < count; ++i)
        to[i] = grey_of_luma(sample_at(luma, from, first + i), luma.bits, luma.is_full_range);
}

}  // namespace

void luma_to_grey(const Device& device, std::span<const LumaTask> tasks) {
    LumaBatch batch;
    unsigned blocks = 0;
    const auto launch = [&] {
        if (batch.count == 0) return;
        launch_kernel(device, "making grey images of luma", blocks, block_threads, 0, luma_kernel, batch);
        batch.count = 0;
        blocks = 0;
    };
    for (const LumaTask& task : tasks) {
        if (task.luma.empty()) continue;
        batch.tasks[batch.count] = task;
        batch.first_blocks[batch.count++] = blocks;
        blocks += blocks_of_row(task.luma.width) * static_cast<unsigned>(task.luma.height);
        if (batch.count == max_tasks) launch();
    }
    launch();
}

}  // namespace fovea::cuda_backend
