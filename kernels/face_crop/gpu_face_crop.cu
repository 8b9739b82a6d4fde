#include <algorithm>

#include "kernels/core/gpu_launch.cuh"
#include "kernels/face_crop/face_crop.hpp"
#include "kernels/face_crop/gpu_face_crop.hpp"

namespace fovea::cuda_backend {
namespace {

// The crops of a launch stand one below the other.
__global__ void crop_faces_kernel(const ImageView<const std::uint8_t>* images, const CropTask* tasks,
                                  int rows, Size size, std::uint8_t* crops) {
    const auto [x, row] = grid_position(size.width);
    if (x >= size.width || row >= rows) return;
    const CropTask task = tasks[row / size.height];
    crops[static_cast<std::size_t>(row) * size.width + x] =
        crop_pixel(images[task.image], task.to_image, x, row % size.height);
}

__global__ void make_crop_tasks_kernel(const LandmarkTask* faces, const std::int32_t* positions, int count,
                                       int points, int subpixels, CropGeometry geometry, CropTask* tasks) {
    const auto [i, row] = grid_position(count);
    if (i >= count || row > 0) return;
    const std::int32_t* mine = positions + static_cast<std::size_t>(i) * 2 * points;
    const CropEyes eyes = eyes_of_positions(mine, eye_landmarks(points), subpixels);
    tasks[i] = {faces[i].image, crop_transform(eyes, geometry)};
}

}  // namespace

void crop_faces(const Device& device, const ImageView<const std::uint8_t>* images, const CropTask* tasks,
                std::size_t count, Size size, std::uint8_t* crops) {
    // A grid ends at 2^31 - 1 blocks, of which 4096 columns take 128 for 8 rows.
    const std::size_t most = std::max<std::size_t>(1, (std::size_t{1} << 26) / size.height);
    const std::size_t pixels = static_cast<std::size_t>(size.width) * size.height;
    for (std::size_t first = 0; first < count; first += most) {
        const int rows = static_cast<int>(std::min(most, count - first)) * size.height;
        launch_2d(device, "cropping faces", size.width, rows, crop_faces_kernel, images, tasks + first, rows,
                  size, crops + first * pixels);
    }
}

void make_crop_tasks(const Device& device, const LandmarkTask* faces, const std::int32_t* positions,
                     std::size_t count, int points, int subpixels, const CropGeometry& geometry,
                     CropTask* tasks) {
    constexpr std::size_t most = std::size_t{1} << 24;
    for (std::size_t first = 0; first < count; first += most) {
        const int faces_now = static_cast<int>(std::min(most, count - first));
        launch_2d(device, "finding eyes", faces_now, 1, make_crop_tasks_kernel, faces + first,
                  positions + first * 2 * points, faces_now, points, subpixels, geometry, tasks + first);
    }
}

}  // namespace fovea::cuda_backend
