#include "kernels/landmark/find_landmarks.hpp"

#include <algorithm>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "kernels/landmark/landmark_simd.hpp"

namespace fovea {

LandmarkTables make_landmark_tables(const LandmarkModel& model) {
    const auto points = static_cast<std::size_t>(model.points);
    double mean[2] = {0, 0};
    for (std::size_t i = 0; i < 2 * points; ++i) mean[i % 2] += model.initial_shape[i];
    for (double& value : mean) value /= static_cast<double>(points);
    LandmarkTables tables;
    tables.mean_x = mean[0];
    tables.mean_y = mean[1];
    double squares = 0;
    for (std::size_t i = 0; i < 2 * points; ++i) {
        const double offset = model.initial_shape[i] - mean[i % 2];
        tables.turn_weights.push_back(offset);
        squares += offset * offset;
    }
    tables.turns = squares > 0;
    for (double& weight : tables.turn_weights) weight = tables.turns ? weight / squares : 0;
    return tables;
}

void find_landmarks(const LandmarkModel& model, const LandmarkTables& tables,
                    std::span<const ImageView<const std::uint8_t>> images,
                    std::span<const LandmarkTask> faces, std::int32_t* positions) {
    // Faces of a block share what they read of the trees; every thread should have one.
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    const std::size_t block =
        std::clamp<std::size_t>((faces.size() + threads - 1) / threads, 1, max_faces_of_block);
    const std::size_t blocks = (faces.size() + block - 1) / block;
    tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t i) {
        const std::size_t first = i * block;
        const auto part = faces.subspan(first, std::min(block, faces.size() - first));
        find_landmarks_of_block(model, tables, images, part,
                                positions + first * 2 * static_cast<std::size_t>(model.points));
    });
}

}  // namespace fovea
