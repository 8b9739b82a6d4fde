#include "lib/landmark/add_landmarks.hpp"

#include <utility>

namespace fovea {
namespace {

// \param find gives the landmarks of tasks.
template <class Find>
void add_found(const LandmarkStage& stage, std::span<std::vector<Detection>> detections, Find&& find) {
    std::vector<LandmarkTask> tasks;
    for (std::size_t i = 0; i < detections.size(); ++i) {
        for (const Detection& detection : detections[i]) {
            if (!detection.details->landmarks.empty()) continue;
            const Box& box = detection.box;
            tasks.push_back(
                {static_cast<std::uint32_t>(i), rect_of_edges({box.x, box.y, box.w, box.h}, stage.edges)});
        }
    }
    if (tasks.empty()) return;
    std::vector<std::vector<Point>> found = find(tasks);
    auto next = found.begin();
    for (std::vector<Detection>& list : detections) {
        for (Detection& detection : list) {
            if (detection.details->landmarks.empty()) detection.details.edit().landmarks = std::move(*next++);
        }
    }
}

}  // namespace

void add_landmarks(const LandmarkStage& stage, std::span<const ImageView<const std::uint8_t>> images,
                   std::span<std::vector<Detection>> detections) {
    add_found(stage, detections,
              [&](const std::vector<LandmarkTask>& tasks) { return stage.landmarker->find(images, tasks); });
}

void add_landmarks_resident(const LandmarkStage& stage, std::span<const ImageView<const std::uint8_t>> images,
                            int gpu, std::span<std::vector<Detection>> detections) {
    add_found(stage, detections, [&](const std::vector<LandmarkTask>& tasks) {
        return stage.landmarker->find_resident(images, tasks, gpu);
    });
}

}  // namespace fovea
