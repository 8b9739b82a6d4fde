#include "lib/detect/mct_detector.hpp"

#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/detect/detections.hpp"

namespace fovea {

MctDetector::MctDetector(MctModel model) : model_(std::move(model)) {
    set_engine(make_cpu_engine(model_.cascade));
}

MctDetector::MctDetector(MctModel model, std::span<const int> gpus, const EngineVariant& variant)
    : model_(std::move(model)) {
    set_engine(make_cuda_engine(model_.cascade, gpus, variant));
}

MctDetector::MctDetector(MctModel model, const EngineMaker& make_engine) : model_(std::move(model)) {
    set_engine(make_engine(model_.cascade));
}

std::unique_ptr<CascadeEngine> MctDetector::make_cpu() const {
    return make_cpu_engine(model_.cascade);
}

std::unique_ptr<CascadeEngine> MctDetector::make_cuda(std::span<const int> gpus,
                                                      const EngineVariant& variant) const {
    return make_cuda_engine(model_.cascade, gpus, variant);
}

DetectorTraits MctDetector::traits() const {
    DetectorTraits traits;
    traits.has_confidence = !model_.confidence.empty();
    traits.kind = traits.has_confidence ? "MCT cascades" : "MCT cascades without a calibration";
    traits.scale_factor = 1.15;
    traits.min_neighbors = 1;
    traits.score = traits.has_confidence ? ScoreKind::confidence : ScoreKind::stage_sum;
    traits.free_grid = true;
    traits.in_opencv = false;
    return traits;
}

std::string MctDetector::description() const {
    const auto lookups = model_.cascade.lookups.size();
    const auto stages = std::count_if(model_.cascade.lookups.begin(), model_.cascade.lookups.end(),
                                      [](const MctLookup& lookup) { return lookup.starts_stage; });
    return "MCT cascade, window 24x24, " + counted(lookups, "look-up") + ", " +
           std::to_string(model_.cascade.coarse_lookups()) + " of them for 2x2 windows at once" +
           (stages > 1 ? ", " + counted(static_cast<std::size_t>(stages), "stage") : "");
}

std::vector<int> MctDetector::weak_classifiers_by_stage() const {
    return std::vector<int>(model_.cascade.lookups.size(), 1);
}

Box MctDetector::face_in(const Rect& window) const {
    const double across = window.width / double(MctCascade::window);
    const double down = window.height / double(MctCascade::window);
    const Box& face = model_.face;
    return {window.x + face.x * across, window.y + face.y * down, face.w * across, face.h * down};
}

double MctDetector::score_of(ScoreKind kind, int windows, double margins) const {
    switch (kind) {
        case ScoreKind::confidence:
            return mct_confidence(model_.confidence, margins);
        case ScoreKind::stage_sum:
            return margins;
        case ScoreKind::neighbors:
        case ScoreKind::automatic:
            break;
    }
    return windows;
}

std::vector<Detection> MctDetector::from_windows(const std::vector<CascadeWindow>& windows, Size image,
                                                 const DetectorOptions& options) const {
    const std::vector<PyramidLevel> levels = engine().levels(image, scan_of(options).parameters);
    std::vector<Detection> detections;
    for (const CascadeWindow& window : windows) {
        const PyramidLevel& level = levels[window.level];
        const Rect rect = window_rect(window.x, window.y, level.scale, level.box);
        Detection* detection = add_inside(face_in(rect), image, detections);
        if (detection == nullptr) continue;
        detection->neighbors = 1;
        detection->score = options.raw ? window.last_sum : score_of(options.score, 1, window.last_sum);
        if (options.raw) {
            detection->stage = static_cast<int>(model_.cascade.lookups.size());
            detection->stage_sum = window.last_sum;
        }
    }
    return detections;
}

std::vector<Detection> MctDetector::from_groups(const std::vector<RectGroup>& groups, Size image,
                                                const DetectorOptions& options) const {
    std::vector<Detection> detections;
    for (const RectGroup& group : groups) {
        Detection* detection = add_inside(face_in(group.rect), image, detections);
        if (detection == nullptr) continue;
        detection->neighbors = group.neighbors;
        detection->score = score_of(options.score, group.neighbors, group.score);
    }
    return detections;
}

void MctDetector::finish_groups(std::vector<Detection>& detections) const {
    suppress_overlaps(detections, max_iou);
}

}  // namespace fovea
