#include "kernels/face_sharpness/face_sharpness.hpp"

#include <array>
#include <vector>

#include <tbb/parallel_for.h>

#include "kernels/face_sharpness/gpu_face_sharpness.hpp"

namespace fovea {
namespace {

constexpr int side = sharpness_side;
constexpr int inner_side = side - 2;

using Grid = std::array<std::uint8_t, static_cast<std::size_t>(side) * side>;

void add_row(const std::uint8_t* pixels, std::uint32_t weight, std::vector<std::uint32_t>& sums) {
    for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += weight * pixels[x];
}

Grid resized(const ImageView<const std::uint8_t>& image, const Rect& face) {
    Grid grid;
    const std::uint64_t weight = std::uint64_t{span_weight(face.width)} * span_weight(face.height);
    std::array<CellSpan, side> columns;
    for (int i = 0; i < side; ++i) columns[static_cast<std::size_t>(i)] = cell_span(face.width, i);
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(face.width));
    std::uint8_t* cell = grid.data();
    for (int j = 0; j < side; ++j) {
        const CellSpan rows = cell_span(face.height, j);
        sums.assign(sums.size(), 0);
        for (int y = rows.first; y <= rows.last; ++y)
            add_row(image.row(face.y + y) + face.x, rows.weight(y), sums);
        for (const CellSpan& span : columns) {
            std::uint64_t sum = 0;
            for (int x = span.first; x <= span.last; ++x)
                sum += std::uint64_t{span.weight(x)} * sums[static_cast<std::size_t>(x)];
            *cell++ = cell_level(sum, weight);
        }
    }
    return grid;
}

LaplacianSums summed(const Grid& grid) {
    LaplacianSums sums;
    for (int y = 1; y <= inner_side; ++y) {
        int sum = 0, squares = 0;  // of 62 values below 1,021
        for (int x = 1; x <= inner_side; ++x) {
            const int value = laplacian(grid.data() + y * side + x);
            sum += value;
            squares += value * value;
        }
        sums.sum += sum;
        sums.squares += squares;
    }
    return sums;
}

}  // namespace

void sum_laplacians(const Device& device, const ImageView<const std::uint8_t>* images,
                    const SharpnessTask* tasks, std::size_t count, LaplacianSums* sums) {
    if (count == 0) return;
    if (device.is_cuda()) {
        cuda_backend::sum_laplacians(device, images, tasks, count, sums);
        return;
    }
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
        sums[i] = summed(resized(images[tasks[i].image], tasks[i].face));
    });
}

double laplacian_variance(const LaplacianSums& sums) {
    constexpr double count = inner_side * inner_side;
    const double mean = static_cast<double>(sums.sum) / count;
    return static_cast<double>(sums.squares) / count - mean * mean;
}

}  // namespace fovea
