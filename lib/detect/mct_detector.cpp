#include "lib/detect/mct_detector.hpp"

#include <algorithm>

#include "kernels/mct/mct_engine.hpp"
#include "lib/core/text.hpp"
#include "lib/detect/detections.hpp"

namespace fovea {

MctDetector::MctDetector(MctModel model) : model_(std::move(model)) {
    set_engine(make_cpu_engine(model_.cascade));
}

MctDetector::MctDetector(MctModel model, std::span<const int> gpus, const EngineOptions& variant)
    : model_(std::move(model)) {
    set_engine(make_cuda_engine(model_.cascade, gpus, variant));
}

MctDetector::MctDetector(MctModel model, const EngineMaker& make_engine) : model_(std::move(model)) {
    set_engine(make_engine(model_.cascade));
}

std::unique_ptr<Detector> MctDetector::copy_for_gpus(std::span<const int> gpus,
                                                     const EngineOptions& variant) const {
    return std::make_unique<MctDetector>(model_, gpus, variant);
}

DetectorTraits MctDetector::traits_of_kind(bool has_confidence) {
    DetectorTraits traits;
    traits.has_confidence = has_confidence;
    traits.kind = has_confidence ? "MCT cascades" : "MCT cascades without a calibration";
    traits.scale_factor = 1.15;
    traits.min_neighbors = 1;
    traits.score = has_confidence ? ScoreKind::confidence : ScoreKind::stage_sum;
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

WindowFace MctDetector::window_face() const {
    const Box& face = model_.face;
    return {{face.x, face.y, face.w, face.h}, double(MctCascade::window)};
}

double MctDetector::score_of(ScoreKind kind, int windows, double margins) const {
    return kind == ScoreKind::confidence ? mct_confidence(model_.confidence, margins)
                                         : EngineDetector::score_of(kind, windows, margins);
}

void MctDetector::finish_groups(std::vector<Detection>& detections) const {
    suppress_overlaps(detections, max_iou);
}

}  // namespace fovea
