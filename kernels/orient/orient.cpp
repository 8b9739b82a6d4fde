#include "kernels/orient/orient.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "kernels/orient/gpu_orient.hpp"
#include "kernels/orient/orient_body.hpp"

namespace fovea {
namespace {

std::string text_of(Size size) {
    return std::to_string(size.width) + "x" + std::to_string(size.height);
}

void check_task(const OrientTask& task) {
    if (task.orientation < 1 || task.orientation > 8) {
        throw std::invalid_argument("an image has EXIF orientation " + std::to_string(task.orientation) +
                                    ", not 1 to 8");
    }
    const Size stored{task.stored.width, task.stored.height};
    const Size displayed{task.displayed.width, task.displayed.height};
    if (displayed_size(orient_rule(task.orientation), stored) != displayed) {
        throw std::invalid_argument("an image of " + text_of(stored) + " pixels in EXIF orientation " +
                                    std::to_string(task.orientation) + " cannot be displayed in " +
                                    text_of(displayed));
    }
}

void orient(const OrientTask& task) {
    const OrientRule rule = orient_rule(task.orientation);
    const Size stored{task.stored.width, task.stored.height};
    // From one displayed pixel to the next it is the same way in the stored image everywhere.
    const auto offset = [&](int x, int y) {
        const StoredPlace place = stored_place(rule, stored, x, y);
        return place.y * task.stored.stride + place.x;
    };
    const std::ptrdiff_t start = offset(0, 0), right = offset(1, 0) - start, down = offset(0, 1) - start;
    const ImageView<std::uint8_t> displayed = task.displayed;
    if (!rule.transposed) {
        for (int y = 0; y < displayed.height; ++y) {
            const std::uint8_t* from = task.stored.row(stored_place(rule, stored, 0, y).y);
            if (rule.last_column_first) {
                std::reverse_copy(from, from + displayed.width, displayed.row(y));
            } else {
                std::copy_n(from, displayed.width, displayed.row(y));
            }
        }
        return;
    }
    // In square tiles, so that turned images do not touch a new cache line for every pixel.
    constexpr int tile = 64;
    for (int ty = 0; ty < displayed.height; ty += tile) {
        const int end_y = std::min(ty + tile, displayed.height);
        for (int tx = 0; tx < displayed.width; tx += tile) {
            const int end_x = std::min(tx + tile, displayed.width);
            for (int y = ty; y < end_y; ++y) {
                const std::uint8_t* from = task.stored.data + start + y * down;
                std::uint8_t* to = displayed.row(y);
                for (int x = tx; x < end_x; ++x) to[x] = from[x * right];
            }
        }
    }
}

}  // namespace

void orient_images(const Device& device, std::span<const OrientTask> tasks) {
    for (const OrientTask& task : tasks) check_task(task);
    if (device.is_cuda()) {
        cuda_backend::orient_images(device, tasks);
        return;
    }
    for (const OrientTask& task : tasks) {
        if (!task.stored.empty()) orient(task);
    }
}

void orient_image(const Device& device, ImageView<const std::uint8_t> stored, int orientation,
                  ImageView<std::uint8_t> displayed) {
    const OrientTask task{stored, displayed, orientation};
    orient_images(device, {&task, 1});
}

}  // namespace fovea
