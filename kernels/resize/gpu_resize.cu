#include "kernels/core/gpu_launch.cuh"
#include "kernels/resize/gpu_resize.hpp"
#include "kernels/resize/resize.hpp"
#include "kernels/resize/resize_body.hpp"

namespace fovea::cuda_backend {
namespace {

__global__ void resize_linear_kernel(ImageView<const std::uint8_t> source,
                                     ImageView<std::uint8_t> destination, double scale_x, double scale_y) {
    const auto [x, y] = grid_position(destination.width);
    if (x >= destination.width || y >= destination.height) return;
    const LinearTap column = linear_tap(x, scale_x, source.width);
    const LinearTap row = linear_tap(y, scale_y, source.height);
    const std::uint8_t* top = source.row(row.offset);
    const std::uint8_t* bottom = source.row(row.next);
    const int above = blend_columns(top[column.offset], top[column.next], column.weight);
    const int below = blend_columns(bottom[column.offset], bottom[column.next], column.weight);
    destination(x, y) = static_cast<std::uint8_t>(blend_rows(above, below, row.weight));
}

}  // namespace

void resize_linear(const Device& device, ImageView<const std::uint8_t> source,
                   ImageView<std::uint8_t> destination) {
    launch_2d(device, "resizing", destination.width, destination.height, resize_linear_kernel, source,
              destination, resize_scale(source.width, destination.width),
              resize_scale(source.height, destination.height));
}

}  // namespace fovea::cuda_backend
