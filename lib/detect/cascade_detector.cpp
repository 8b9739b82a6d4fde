#include "lib/detect/cascade_detector.hpp"

#include "lib/detect/detections.hpp"

namespace fovea {
namespace {

// Integers of images are exact in double.
Box box_of(const Rect& rect) {
    return {double(rect.x), double(rect.y), double(rect.width), double(rect.height)};
}

}  // namespace

CascadeDetector::CascadeDetector(Cascade cascade) : cascade_(std::move(cascade)) {
    set_engine(make_cpu_engine(cascade_));
}

CascadeDetector::CascadeDetector(Cascade cascade, std::span<const int> gpus, const EngineVariant& variant)
    : cascade_(std::move(cascade)) {
    set_engine(make_cuda_engine(cascade_, gpus, variant));
}

CascadeDetector::CascadeDetector(Cascade cascade, const EngineMaker& make_engine)
    : cascade_(std::move(cascade)) {
    set_engine(make_engine(cascade_));
}

std::unique_ptr<CascadeEngine> CascadeDetector::make_cpu() const {
    return make_cpu_engine(cascade_);
}

std::unique_ptr<CascadeEngine> CascadeDetector::make_cuda(std::span<const int> gpus,
                                                          const EngineVariant& variant) const {
    return make_cuda_engine(cascade_, gpus, variant);
}

std::vector<int> CascadeDetector::weak_classifiers_by_stage() const {
    std::vector<int> trees;
    for (const CascadeStage& stage : cascade_.stages) trees.push_back(stage.tree_count);
    return trees;
}

std::vector<Detection> CascadeDetector::from_windows(const std::vector<CascadeWindow>& windows, Size image,
                                                     const DetectorOptions& options) const {
    const std::vector<PyramidLevel> levels = engine().levels(image, scan_of(options).parameters);
    std::vector<Detection> detections;
    for (const CascadeWindow& window : windows) {
        const PyramidLevel& level = levels[window.level];
        const Rect rect = window_rect(window.x, window.y, level.scale, level.box);
        Detection* detection = add_inside(box_of(rect), image, detections);
        if (detection == nullptr) continue;
        detection->neighbors = 1;
        // A raw window has no neighbours to count: only its last sum tells how certain it is.
        detection->score = options.raw || options.score == ScoreKind::stage_sum ? window.last_sum : 1;
        if (options.raw) {
            detection->stage = static_cast<int>(cascade_.stages.size());
            detection->stage_sum = window.last_sum;
        }
    }
    return detections;
}

std::vector<Detection> CascadeDetector::from_groups(const std::vector<RectGroup>& groups, Size image,
                                                    const DetectorOptions& options) const {
    std::vector<Detection> detections;
    for (const RectGroup& group : groups) {
        Detection* detection = add_inside(box_of(group.rect), image, detections);
        if (detection == nullptr) continue;
        detection->neighbors = group.neighbors;
        detection->score = options.score == ScoreKind::stage_sum ? group.score : group.neighbors;
    }
    return detections;
}

std::string CascadeDetector::description() const {
    const bool haar = cascade_.feature == Cascade::Feature::haar;
    return std::string(haar ? "Haar" : "LBP") + " cascade, window " + std::to_string(cascade_.window.width) +
           "x" + std::to_string(cascade_.window.height) + ", " + std::to_string(cascade_.stages.size()) +
           " stages, " + std::to_string(cascade_.trees.size()) +
           (cascade_.stumps_only ? " stumps" : " trees") +
           (cascade_.has_tilted ? ", with tilted features" : "");
}

}  // namespace fovea
