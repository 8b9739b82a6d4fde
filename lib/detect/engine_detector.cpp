#include "lib/detect/engine_detector.hpp"

#include "lib/detect/detections.hpp"
#include "lib/landmark/add_landmarks.hpp"

namespace fovea {
namespace {

CascadeScan scan_with(const DetectorOptions& resolved) {
    CascadeScan scan;
    scan.parameters.scale_factor = *resolved.scale_factor;
    scan.parameters.min_size = resolved.min_size;
    scan.parameters.max_size = resolved.max_size;
    scan.parameters.start_scale = resolved.start_scale;
    scan.parameters.step = resolved.step;
    scan.min_neighbors = resolved.raw ? 0 : *resolved.min_neighbors;
    return scan;
}

}  // namespace

CascadeScan EngineDetector::scan_of(const DetectorOptions& options) const {
    return scan_with(resolve_options(options, traits()));
}

Box EngineDetector::box_of(const Rect& window) const {
    const FaceBox face = face_of_window(window_face(), window);
    return {face.x, face.y, face.width, face.height};
}

double EngineDetector::score_of(ScoreKind kind, int windows, double sum) const {
    return kind == ScoreKind::stage_sum ? sum : windows;
}

std::vector<Detection> EngineDetector::from_windows(const std::vector<CascadeWindow>& windows, Size image,
                                                    const DetectorOptions& options) const {
    const std::vector<PyramidLevel> levels = engine().levels(image, scan_with(options).parameters);
    const int stages = static_cast<int>(weak_classifiers_by_stage().size());
    std::vector<Detection> detections;
    for (const CascadeWindow& window : windows) {
        const PyramidLevel& level = levels[window.level];
        const Rect rect = window_rect(window.x, window.y, level.scale, level.box);
        Detection* detection = add_inside(box_of(rect), image, detections);
        if (detection == nullptr) continue;
        detection->details.edit().neighbors = 1;
        // A raw window has no neighbours to count: only its last sum tells how certain it is.
        detection->score = options.raw ? window.last_sum : score_of(options.score, 1, window.last_sum);
        if (options.raw) {
            detection->details.edit().stage = stages;
            detection->details.edit().stage_sum = window.last_sum;
        }
    }
    return detections;
}

std::vector<Detection> EngineDetector::from_groups(const CascadeFindings& findings, Size image,
                                                   const DetectorOptions& options,
                                                   const Landmarker* landmarker) const {
    const std::size_t coordinates = landmarker == nullptr ? 0 : landmarker->model().initial_shape.size();
    std::vector<Detection> detections;
    for (std::size_t i = 0; i < findings.groups.size(); ++i) {
        const RectGroup& group = findings.groups[i];
        Detection* detection = add_inside(box_of(group.rect), image, detections);
        if (detection == nullptr) continue;
        detection->details.edit().neighbors = group.neighbors;
        detection->score = score_of(options.score, group.neighbors, group.score);
        if (landmarker != nullptr && (i + 1) * coordinates <= findings.landmarks.size()) {
            detection->details.edit().landmarks =
                landmarker->points_of(findings.landmarks.data() + i * coordinates);
        }
    }
    return detections;
}

std::vector<Detection> EngineDetector::resolved_detections(const CascadeFindings& findings, Size image,
                                                           const DetectorOptions& options,
                                                           const Landmarker* landmarker) const {
    const bool grouped = scan_with(options).min_neighbors > 0;
    std::vector<Detection> detections = grouped ? from_groups(findings, image, options, landmarker)
                                                : from_windows(findings.windows, image, options);
    if (options.min_score) drop_below(*options.min_score, detections);
    if (grouped) finish_groups(detections);
    sort_detections(detections);
    return detections;
}

std::vector<Detection> EngineDetector::detections_of(const CascadeFindings& findings, Size image,
                                                     const DetectorOptions& options) const {
    return resolved_detections(findings, image, resolve_options(options, traits()));
}

std::vector<std::vector<Detection>> EngineDetector::batch_detections(
    const std::vector<CascadeFindings>& findings, std::span<const ImageView<const std::uint8_t>> images,
    const DetectorOptions& options, const Landmarker* landmarker) const {
    std::vector<std::vector<Detection>> results;
    results.reserve(images.size());
    for (std::size_t i = 0; i < images.size(); ++i) {
        results.push_back(
            resolved_detections(findings.at(i), {images[i].width, images[i].height}, options, landmarker));
    }
    return results;
}

std::vector<std::vector<Detection>> EngineDetector::detect(
    std::span<const ImageView<const std::uint8_t>> images, const DetectorOptions& options) const {
    const DetectorOptions resolved = resolve_options(options, traits());
    return batch_detections(engine_->detect(images, scan_with(resolved)), images, resolved);
}

std::vector<std::vector<Detection>> EngineDetector::detect_with_landmarks(
    std::span<const ImageView<const std::uint8_t>> images, const DetectorOptions& options,
    const LandmarkStage& stage) const {
    const DetectorOptions resolved = resolve_options(options, traits());
    const Landmarker& landmarker = *stage.landmarker;
    // What is found of groups that are then dropped costs less than the way over the host.
    const std::vector<CascadeFindings> findings = engine_->detect_with_landmarks(
        images, scan_with(resolved), {landmarker.gpu_models(), window_face(), stage.edges});
    auto results = batch_detections(findings, images, resolved, &landmarker);
    add_landmarks(stage, images, results);
    return results;
}

std::vector<std::vector<Detection>> EngineDetector::detect_resident(
    std::span<const ImageView<const std::uint8_t>> images, const DetectorOptions& options,
    const LandmarkStage* stage) const {
    const DetectorOptions resolved = resolve_options(options, traits());
    if (stage == nullptr) {
        return batch_detections(engine_->detect_resident(images, scan_with(resolved), nullptr), images,
                                resolved);
    }
    const Landmarker& landmarker = *stage->landmarker;
    const GroupLandmarks landmarks{landmarker.gpu_models(), window_face(), stage->edges};
    auto results = batch_detections(engine_->detect_resident(images, scan_with(resolved), &landmarks), images,
                                    resolved, &landmarker);
    add_landmarks_resident(*stage, images, engine_->gpus().at(0), results);
    return results;
}

}  // namespace fovea
