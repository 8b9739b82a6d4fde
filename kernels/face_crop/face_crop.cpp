#include "kernels/face_crop/face_crop.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include <tbb/parallel_for.h>

#include "kernels/face_crop/gpu_face_crop.hpp"

namespace fovea {
namespace {

void check_crop_size(Size size) {
    constexpr int most = 4096;
    if (size.width >= 1 && size.width <= most && size.height >= 1 && size.height <= most) return;
    throw std::invalid_argument("a face crop is " + std::to_string(size.width) + "x" +
                                std::to_string(size.height) + " pixels, not 1x1 to 4096x4096");
}

}  // namespace

void check_crop_geometry(const CropGeometry& geometry) {
    check_crop_size(geometry.size);
    const CropEyes& eyes = geometry.eyes;
    for (const double value : {eyes.left.x, eyes.left.y, eyes.right.x, eyes.right.y}) {
        if (!(std::abs(value) <= 1e6)) {
            throw std::invalid_argument("a face crop has an eye at no place within 1,000,000 pixels");
        }
    }
    if (eyes.left == eyes.right) throw std::invalid_argument("a face crop has both eyes at the same place");
}

void crop_faces(const Device& device, const ImageView<const std::uint8_t>* images, const CropTask* tasks,
                std::size_t count, Size size, std::uint8_t* crops) {
    check_crop_size(size);
    if (count == 0) return;
    if (device.is_cuda()) {
        cuda_backend::crop_faces(device, images, tasks, count, size, crops);
        return;
    }
    const std::size_t pixels = static_cast<std::size_t>(size.width) * size.height;
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
        std::uint8_t* next = crops + i * pixels;
        for (int y = 0; y < size.height; ++y) {
            for (int x = 0; x < size.width; ++x) {
                *next++ = crop_pixel(images[tasks[i].image], tasks[i].to_image, x, y);
            }
        }
    });
}

void make_crop_tasks(const Device& device, const LandmarkTask* faces, const std::int32_t* positions,
                     std::size_t count, int points, int subpixels, const CropGeometry& geometry,
                     CropTask* tasks) {
    check_crop_geometry(geometry);
    if (eye_landmarks(points).count == 0) {
        throw std::invalid_argument("the eyes are not known among " + std::to_string(points) +
                                    " landmarks, only among 68 and 5");
    }
    if (count == 0) return;
    if (device.is_cuda()) {
        cuda_backend::make_crop_tasks(device, faces, positions, count, points, subpixels, geometry, tasks);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t* mine = positions + i * 2 * static_cast<std::size_t>(points);
        tasks[i] = {faces[i].image,
                    crop_transform(eyes_of_positions(mine, eye_landmarks(points), subpixels), geometry)};
    }
}

}  // namespace fovea
