#include "kernels/core/gpu_launch.cuh"
#include "kernels/orient/gpu_orient.hpp"
#include "kernels/orient/orient_body.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr int tile_side = 32;
constexpr int block_rows = 8;
constexpr int max_tasks = 32;

// Travels with a launch: its tiles are numbered through, task by task, row by row.
struct OrientBatch {
    OrientTask tasks[max_tasks];
    unsigned first_tiles[max_tasks];
    int count = 0;
};

__host__ __device__ unsigned tiles_along(int pixels) {
    return (static_cast<unsigned>(pixels) + tile_side - 1) / tile_side;
}

// A block takes a tile of the displayed image, and reads and writes along rows only.
__global__ void orient_kernel(const __grid_constant__ OrientBatch batch) {
    // A column more, so that the pixels of a column lie in different banks.
    __shared__ std::uint8_t turned[tile_side][tile_side + 1];
    int number = batch.count - 1;
    while (batch.first_tiles[number] > blockIdx.x) --number;
    const OrientTask& task = batch.tasks[number];
    const ImageView<const std::uint8_t> stored = task.stored;
    const ImageView<std::uint8_t> displayed = task.displayed;
    const OrientRule rule = orient_rule(task.orientation);
    const Size size{stored.width, stored.height};
    const unsigned tile = blockIdx.x - batch.first_tiles[number];
    const unsigned columns = tiles_along(displayed.width);
    const int left = static_cast<int>(tile % columns) * tile_side;
    const int top = static_cast<int>(tile / columns) * tile_side;
    const int lane = static_cast<int>(threadIdx.x);
    if (rule.transposed) {
        for (int column = static_cast<int>(threadIdx.y); column < tile_side; column += block_rows) {
            const int x = left + column, y = top + lane;
            if (x >= displayed.width || y >= displayed.height) continue;
            const StoredPlace place = stored_place(rule, size, x, y);
            turned[column][lane] = stored(place.x, place.y);
        }
        __syncthreads();
    }
    for (int row = static_cast<int>(threadIdx.y); row < tile_side; row += block_rows) {
        const int x = left + lane, y = top + row;
        if (x >= displayed.width || y >= displayed.height) continue;
        const StoredPlace place = stored_place(rule, size, x, y);
        displayed(x, y) = rule.transposed ? turned[lane][row] : stored(place.x, place.y);
    }
}

}  // namespace

void orient_images(const Device& device, std::span<const OrientTask> tasks) {
    OrientBatch batch;
    unsigned tiles = 0;
    const auto launch = [&] {
        if (batch.count == 0) return;
        launch_kernel(device, "turning images", tiles, dim3(tile_side, block_rows), 0, orient_kernel, batch);
        batch.count = 0;
        tiles = 0;
    };
    for (const OrientTask& task : tasks) {
        if (task.displayed.empty()) continue;
        // A grid ends at 2^31 - 1 blocks: 65,535 x 65,535 pixels 32 times are a sixteenth of that.
        batch.tasks[batch.count] = task;
        batch.first_tiles[batch.count++] = tiles;
        tiles += tiles_along(task.displayed.width) * tiles_along(task.displayed.height);
        if (batch.count == max_tasks) launch();
    }
    launch();
}

}  // namespace fovea::cuda_backend
