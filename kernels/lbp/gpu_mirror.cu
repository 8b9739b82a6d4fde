#include <algorithm>

#include "kernels/core/gpu_launch.cuh"
#include "kernels/lbp/gpu_mirror.hpp"

namespace fovea::cuda_backend {
namespace {

// A grid ends at 2^31 - 1 blocks, of which 4096 columns take 128 for 8 rows.
constexpr std::size_t max_rows = std::size_t{1} << 26;

// The faces of a launch stand one below the other.
__global__ void mirror_kernel(const std::uint8_t* faces, int width, int rows, std::uint8_t* mirrored) {
    const auto [x, row] = grid_position(width);
    if (x >= width || row >= rows) return;
    const std::size_t first = static_cast<std::size_t>(row) * width;
    mirrored[first + x] = faces[first + width - 1 - x];
}

__global__ void add_kernel(std::uint16_t* counts, const std::uint16_t* more, int width, int rows,
                           std::size_t size) {
    const auto [x, row] = grid_position(width);
    const std::size_t i = static_cast<std::size_t>(row) * width + x;
    if (x < width && row < rows && i < size) counts[i] = static_cast<std::uint16_t>(counts[i] + more[i]);
}

}  // namespace

void mirror_faces(const Device& device, const std::uint8_t* faces, std::size_t count, Size size,
                  std::uint8_t* mirrored) {
    const std::size_t rows = count * static_cast<std::size_t>(size.height);
    for (std::size_t first = 0; first < rows; first += max_rows) {
        const int now = static_cast<int>(std::min(max_rows, rows - first));
        const std::size_t from = first * static_cast<std::size_t>(size.width);
        launch_2d(device, "mirroring faces", size.width, now, mirror_kernel, faces + from, size.width, now,
                  mirrored + from);
    }
}

void add_counts(const Device& device, std::uint16_t* counts, const std::uint16_t* more, std::size_t size) {
    constexpr int width = 4096;
    constexpr std::size_t most = max_rows * width;
    for (std::size_t first = 0; first < size; first += most) {
        const std::size_t now = std::min(most, size - first);
        const int rows = static_cast<int>((now + width - 1) / width);
        launch_2d(device, "adding counts", width, rows, add_kernel, counts + first, more + first, width, rows,
                  now);
    }
}

}  // namespace fovea::cuda_backend
