#include "kernels/luma/luma.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/luma/gpu_luma.hpp"
#include "kernels/luma/luma_body.hpp"

namespace fovea {
namespace {

void check_task(const LumaTask& task) {
    const LumaPlane& luma = task.luma;
    if (luma.bits < 8 || luma.bits > 16) {
        throw std::invalid_argument("luma has " + std::to_string(luma.bits) + " bits a sample, not 8 to 16");
    }
    const int word_bits = luma.bits == 8 ? 8 : 16;
    if (luma.shift < 0 || luma.shift + luma.bits > word_bits) {
        throw std::invalid_argument("luma of " + std::to_string(luma.bits) + " bits cannot be shifted by " +
                                    std::to_string(luma.shift));
    }
    if (luma.width != task.grey.width || luma.height != task.grey.height) {
        throw std::invalid_argument("luma and grey image differ in size");
    }
}

// Neighbouring bytes; the loops have no branch, so that the compiler makes vectors of them.
void copy_row(const std::uint8_t* from, int width, bool is_full_range, std::uint8_t* to) {
    if (is_full_range) {
        std::copy_n(from, width, to);
        return;
    }
    for (int x = 0; x < width; ++x) {
        const auto clamped =
            static_cast<std::uint16_t>(std::clamp<std::uint16_t>(from[x], 16, 235) - std::uint16_t{16});
        const auto scaled = static_cast<std::uint16_t>(clamped * 255 + 109);
        to[x] = static_cast<std::uint8_t>((std::uint32_t{scaled} * 38305U >> 16) >> 7);
    }
}

void convert(const LumaTask& task) {
    const LumaPlane& luma = task.luma;
    for (int y = 0; y < luma.height; ++y) {
        const std::uint8_t* from = luma.data + y * luma.stride_bytes;
        std::uint8_t* to = task.grey.row(y);
        if (luma.bits == 8 && luma.step_bytes == 1) {
            copy_row(from, luma.width, luma.is_full_range, to);
            continue;
        }
        for (int x = 0; x < luma.width; ++x, from += luma.step_bytes) {
            const unsigned word = luma.bits == 8 ? from[0] : from[0] | unsigned{from[1]} << 8;
            const unsigned sample = (word >> luma.shift) & ((1U << luma.bits) - 1);
            to[x] = grey_of_luma(sample, luma.bits, luma.is_full_range);
        }
    }
}

}  // namespace

void luma_to_grey(const Device& device, std::span<const LumaTask> tasks) {
    for (const LumaTask& task : tasks) check_task(task);
    if (device.is_cuda()) {
        cuda_backend::luma_to_grey(device, tasks);
        return;
    }
    for (const LumaTask& task : tasks) {
        if (!task.luma.empty()) convert(task);
    }
}

}  // namespace fovea
