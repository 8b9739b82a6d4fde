#include "lib/landmark/add_landmarks.hpp"

#include <utility>

namespace fovea {

void add_landmarks(const LandmarkStage& stage, const ImageBatch& images,
                   std::span<std::vector<Detection>> detections) {
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
    std::vector<std::vector<Point>> found = stage.landmarker->find(images, tasks);
    auto next = found.begin();
    for (std::vector<Detection>& list : detections) {
        for (Detection& detection : list) {
            if (detection.details->landmarks.empty()) detection.details.edit().landmarks = std::move(*next++);
        }
    }
}

}  // namespace fovea
