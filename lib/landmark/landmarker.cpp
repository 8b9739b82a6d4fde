#include "lib/landmark/landmarker.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <spdlog/fmt/fmt.h>

#include "kernels/core/share_work.hpp"
#include "lib/core/text.hpp"

namespace fovea {

Landmarker::Landmarker(LandmarkModel model, const DetectionDevice& device, std::string name)
    : model_(std::move(model)), device_(device), name_(std::move(name)) {
    check_landmark_model(model_);
    tables_ = make_landmark_tables(model_);
    for (const int gpu : device_.gpus) {
        gpus_.push_back(std::make_unique<cuda_backend::GpuLandmarks>(model_, tables_, gpu));
    }
}

Landmarker::~Landmarker() = default;

std::string Landmarker::description() const {
    std::set<std::size_t> trees;
    for (const LandmarkCascade& cascade : model_.cascades) trees.insert(cascade.trees);
    return fmt::format("{}, {}{}, depth {}", counted(static_cast<std::size_t>(model_.points), "point"),
                       counted(model_.cascades.size(), "cascade"),
                       trees.size() == 1 ? " of " + counted(*trees.begin(), "tree")
                                         : " with " + counted(model_.trees(), "tree"),
                       model_.depth);
}

std::vector<std::vector<Point>> Landmarker::find(const ImageBatch& images,
                                                 std::span<const LandmarkTask> faces) const {
    std::vector<std::int32_t> positions(faces.size() * model_.initial_shape.size());
    if (images.is_on_gpu()) {
        model_on(images.gpu).find(images, faces, positions.data());
    } else if (gpus_.empty()) {
        find_landmarks(model_, tables_, images.views, faces, positions.data());
    } else {
        share_work(faces.size(), gpus_.size(), [&](std::size_t i, IndexRange part) {
            gpus_[i]->find(images, faces.subspan(part.first, part.count),
                           positions.data() + part.first * model_.initial_shape.size());
        });
    }
    return points_of_all(positions);
}

cuda_backend::GpuLandmarks& Landmarker::model_on(int gpu) const {
    const auto model =
        std::find_if(gpus_.begin(), gpus_.end(), [&](const auto& one) { return one->device() == gpu; });
    if (model == gpus_.end()) {
        throw std::logic_error("the landmark model " + name_ + " is on " + device_name() +
                               ", not on cuda:" + std::to_string(gpu) + " where the images are");
    }
    return **model;
}

std::vector<cuda_backend::GpuLandmarks*> Landmarker::gpu_models() const {
    std::vector<cuda_backend::GpuLandmarks*> models;
    for (const auto& gpu : gpus_) models.push_back(gpu.get());
    return models;
}

std::vector<std::vector<Point>> Landmarker::points_of_all(const std::vector<std::int32_t>& positions) const {
    const std::size_t coordinates = model_.initial_shape.size();
    std::vector<std::vector<Point>> found;
    found.reserve(positions.size() / coordinates);
    for (std::size_t at = 0; at < positions.size(); at += coordinates) {
        found.push_back(points_of(positions.data() + at));
    }
    return found;
}

std::vector<Point> Landmarker::points_of(const std::int32_t* positions) const {
    std::vector<Point> points(static_cast<std::size_t>(model_.points));
    for (Point& point : points) {
        point = {static_cast<double>(positions[0]) / model_.subpixels,
                 static_cast<double>(positions[1]) / model_.subpixels};
        positions += 2;
    }
    return points;
}

}  // namespace fovea
