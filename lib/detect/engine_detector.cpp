#include "lib/detect/engine_detector.hpp"

#include <cstdint>

#include <opencv2/core.hpp>

#include "lib/core/error.hpp"
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

/// Images whose outermost pixels go on beyond them; those of a batch as they are without a border.
class ImagesWithBorder {
  public:
    /// The images must outlive this.
    ImagesWithBorder(const ImageBatch& images, int border) : images_(images), has_border_(border > 0) {
        if (!has_border_) return;
        if (images.is_on_gpu()) {
            throw UsageError(
                "the detector's option 'border' needs images in host memory: detect on the CPU (--device "
                "cpu), or leave out 'border'");
        }
        for (const auto& image : images.views) {
            if (image.empty()) {
                views_.push_back(image);
                continue;
            }
            // OpenCV's matrix does not write to the pixels that it is made of here.
            const cv::Mat whole(image.height, image.width, CV_8UC1,
                                const_cast<std::uint8_t*>(image.data),  // NOLINT
                                static_cast<std::size_t>(image.stride));
            cv::Mat& continued = continued_.emplace_back();
            cv::copyMakeBorder(whole, continued, border, border, border, border,
                               cv::BORDER_REPLICATE | cv::BORDER_ISOLATED);
            views_.push_back({continued.data, continued.cols, continued.rows,
                              static_cast<std::ptrdiff_t>(continued.step[0])});
        }
    }

    ImageBatch batch() const { return has_border_ ? ImageBatch(views_) : images_; }

  private:
    const ImageBatch images_;
    const bool has_border_;
    std::vector<cv::Mat> continued_;
    std::vector<ImageBatch::View> views_;
};

}  // namespace

CascadeScan EngineDetector::scan_of(const DetectorOptions& options) const {
    return scan_with(resolve_options(options, traits()));
}

Box EngineDetector::box_of(Rect window, int border) const {
    window.x -= border;
    window.y -= border;
    const FaceBox face = face_of_window(window_face(), window);
    return {face.x, face.y, face.width, face.height};
}

double EngineDetector::score_of(ScoreKind kind, int windows, double sum) const {
    return kind == ScoreKind::stage_sum ? sum : windows;
}

std::vector<Detection> EngineDetector::from_windows(const std::vector<CascadeWindow>& windows, Size image,
                                                    const DetectorOptions& options) const {
    const std::vector<PyramidLevel> levels = engine().levels(
        {image.width + 2 * options.border, image.height + 2 * options.border}, scan_with(options).parameters);
    const int stages = static_cast<int>(weak_classifiers_by_stage().size());
    std::vector<Detection> detections;
    for (const CascadeWindow& window : windows) {
        const PyramidLevel& level = levels[window.level];
        const Rect rect = window_rect(window.x, window.y, level.scale, level.box);
        Detection* detection = add_inside(box_of(rect, options.border), image, detections);
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

std::vector<Detection> EngineDetector::from_groups(const CascadeResult& findings, Size image,
                                                   const DetectorOptions& options,
                                                   const Landmarker* landmarker) const {
    const std::size_t coordinates = landmarker == nullptr ? 0 : landmarker->model().initial_shape.size();
    std::vector<Detection> detections;
    for (std::size_t i = 0; i < findings.groups.size(); ++i) {
        const RectGroup& group = findings.groups[i];
        Detection* detection = add_inside(box_of(group.rect, options.border), image, detections);
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

std::vector<Detection> EngineDetector::resolved_detections(const CascadeResult& findings, Size image,
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

std::vector<Detection> EngineDetector::detections_of(const CascadeResult& findings, Size image,
                                                     const DetectorOptions& options) const {
    return resolved_detections(findings, image, resolve_options(options, traits()), nullptr);
}

std::vector<std::vector<Detection>> EngineDetector::detect_resolved(const ImageBatch& images,
                                                                    const DetectorOptions& resolved,
                                                                    const LandmarkStage* landmarks) const {
    const Landmarker* const landmarker = landmarks == nullptr ? nullptr : landmarks->landmarker;
    const ImagesWithBorder bordered(images, resolved.border);
    // Landmarks of groups that are then dropped cost less than a way over the host. They are those of the
    // images without a border.
    const bool finds_landmarks = landmarks != nullptr && resolved.border == 0;
    GroupLandmarks wanted;
    if (finds_landmarks) wanted = {landmarker->gpu_models(), window_face(), landmarks->edges};
    const std::vector<CascadeResult> findings =
        engine_->detect(bordered.batch(), scan_with(resolved), finds_landmarks ? &wanted : nullptr);
    std::vector<std::vector<Detection>> results;
    results.reserve(images.size());
    for (std::size_t i = 0; i < images.size(); ++i) {
        const auto& image = images.views[i];
        results.push_back(resolved_detections(findings.at(i), {image.width, image.height}, resolved,
                                              finds_landmarks ? landmarker : nullptr));
    }
    if (landmarks != nullptr) add_landmarks(*landmarks, images, results);
    return results;
}

const EngineDetector& require_cascade(const Detector& detector, const std::filesystem::path& model,
                                      const std::string& work) {
    const EngineDetector* const cascade = detector.as_cascade();
    if (cascade != nullptr) return *cascade;
    throw UsageError(work + ", and " + model.string() +
                     " is no cascade; name one with --model, e.g. mct or haarcascade_frontalface_alt2");
}

}  // namespace fovea
