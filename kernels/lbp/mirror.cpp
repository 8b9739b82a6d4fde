#include "kernels/lbp/mirror.hpp"

#include <algorithm>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/lbp/gpu_mirror.hpp"

namespace fovea {

void mirror_faces(const Device& device, const std::uint8_t* faces, std::size_t count, Size size,
                  std::uint8_t* mirrored) {
    if (device.is_cuda()) {
        cuda_backend::mirror_faces(device, faces, count, size, mirrored);
        return;
    }
    const auto width = static_cast<std::size_t>(size.width);
    const std::size_t rows = count * static_cast<std::size_t>(size.height);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rows, 256), [&](const auto& range) {
        for (std::size_t row = range.begin(); row < range.end(); ++row) {
            const std::uint8_t* from = faces + row * width;
            std::reverse_copy(from, from + width, mirrored + row * width);
        }
    });
}

void add_counts(const Device& device, std::uint16_t* counts, const std::uint16_t* more, std::size_t size) {
    if (device.is_cuda()) {
        cuda_backend::add_counts(device, counts, more, size);
        return;
    }
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, size, 16384), [&](const auto& range) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
            counts[i] = static_cast<std::uint16_t>(counts[i] + more[i]);
        }
    });
}

}  // namespace fovea
