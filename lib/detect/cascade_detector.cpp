#include "lib/detect/cascade_detector.hpp"

#include <algorithm>
#include <tuple>

namespace fovea {
namespace {

// The part inside the image; empty (width or height <= 0) if there is none.
Rect clipped(const Rect& r, Size image) {
    const int left = std::max(r.x, 0);
    const int top = std::max(r.y, 0);
    return {left, top, std::min(r.x + r.width, image.width) - left,
            std::min(r.y + r.height, image.height) - top};
}

// The detection whose box is the part of `rect` inside the image, or nullptr if there is none.
Detection* add_inside(const Rect& rect, Size image, std::vector<Detection>& detections) {
    const Rect inside = clipped(rect, image);
    if (inside.width <= 0 || inside.height <= 0) return nullptr;
    Detection& detection = detections.emplace_back();
    detection.box = {double(inside.x), double(inside.y), double(inside.width), double(inside.height)};
    return &detection;
}

void add_windows(const std::vector<CascadeWindow>& windows, const std::vector<PyramidLevel>& levels,
                 Size image, int stages, const DetectorOptions& options, std::vector<Detection>& detections) {
    for (const CascadeWindow& window : windows) {
        const PyramidLevel& level = levels[window.level];
        Detection* detection =
            add_inside(window_rect(window.x, window.y, level.scale, level.box), image, detections);
        if (detection == nullptr) continue;
        detection->neighbors = 1;
        // A raw window has no neighbours to count: only its last sum tells how certain it is.
        detection->score = options.raw || options.score == ScoreKind::stage_sum ? window.last_sum : 1;
        if (options.raw) {
            detection->stage = stages;
            detection->stage_sum = window.last_sum;
        }
    }
}

void add_groups(const std::vector<RectGroup>& groups, Size image, const DetectorOptions& options,
                std::vector<Detection>& detections) {
    for (const RectGroup& group : groups) {
        Detection* detection = add_inside(group.rect, image, detections);
        if (detection == nullptr) continue;
        detection->neighbors = group.neighbors;
        detection->score = options.score == ScoreKind::stage_sum ? group.score : group.neighbors;
    }
}

bool before(const Detection& a, const Detection& b) {
    const auto key = [](const Detection& d) {
        return std::tuple(-d.score, d.box.y, d.box.x, d.box.w, d.box.h, -d.stage_sum.value_or(0));
    };
    return key(a) < key(b);
}

}  // namespace

CascadeDetector::CascadeDetector(Cascade cascade)
    : cascade_(std::move(cascade)), engine_(make_cpu_engine(cascade_)) {}

CascadeDetector::CascadeDetector(Cascade cascade, std::span<const int> gpus, const EngineVariant& variant)
    : cascade_(std::move(cascade)), engine_(make_cuda_engine(cascade_, gpus, variant)) {}

CascadeDetector::CascadeDetector(Cascade cascade, const EngineMaker& make_engine)
    : cascade_(std::move(cascade)), engine_(make_engine(cascade_)) {}

CascadeScan CascadeDetector::scan_of(const DetectorOptions& options) {
    return {{options.scale_factor, options.min_size, options.max_size},
            options.raw ? 0 : options.min_neighbors};
}

std::vector<Detection> CascadeDetector::detections_of(const CascadeFindings& findings, Size image,
                                                      const DetectorOptions& options) const {
    const CascadeScan scan = scan_of(options);
    std::vector<Detection> detections;
    if (scan.min_neighbors == 0) {
        add_windows(findings.windows, cascade_levels(image, cascade_.window, scan.parameters), image,
                    static_cast<int>(cascade_.stages.size()), options, detections);
    } else {
        add_groups(findings.groups, image, options, detections);
    }
    std::sort(detections.begin(), detections.end(), before);
    return detections;
}

std::vector<std::vector<Detection>> CascadeDetector::detect(
    std::span<const ImageView<const std::uint8_t>> images, const DetectorOptions& options) const {
    check_options(options);
    const std::vector<CascadeFindings> findings = engine_->detect(images, scan_of(options));
    std::vector<std::vector<Detection>> results;
    results.reserve(images.size());
    for (std::size_t i = 0; i < images.size(); ++i) {
        results.push_back(detections_of(findings.at(i), {images[i].width, images[i].height}, options));
    }
    return results;
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
