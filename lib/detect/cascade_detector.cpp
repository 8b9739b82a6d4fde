#include "lib/detect/cascade_detector.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <tbb/parallel_for.h>

#include "kernels/group/group.hpp"

namespace fovea {
namespace {

// OpenCV computes a window's place in float: level coordinate times scale, half to even.
Rect image_rect(const CascadeWindow& window, const PyramidLevel& level) {
    const auto place = [&](int coordinate) {
        return static_cast<int>(std::lrint(static_cast<float>(coordinate) * level.scale));
    };
    return {place(window.x), place(window.y), level.box.width, level.box.height};
}

// The part inside the image; empty (width or height <= 0) if there is none.
Rect clipped(const Rect& r, Size image) {
    const int left = std::max(r.x, 0);
    const int top = std::max(r.y, 0);
    return {left, top, std::min(r.x + r.width, image.width) - left,
            std::min(r.y + r.height, image.height) - top};
}

bool before(const Detection& a, const Detection& b) {
    const auto key = [](const Detection& d) {
        return std::tuple(-d.score, d.box.y, d.box.x, d.box.w, d.box.h, -d.stage_sum.value_or(0));
    };
    return key(a) < key(b);
}

}  // namespace

std::vector<Detection> CascadeDetector::detect_one(ImageView<const std::uint8_t> image,
                                                   const DetectorOptions& options) const {
    const Size size{image.width, image.height};
    const std::vector<PyramidLevel> levels =
        cascade_levels(size, cascade_.window, {options.scale_factor, options.min_size, options.max_size});
    const std::vector<CascadeWindow> windows = scan_cascade(cascade_, image, levels);

    std::vector<Detection> detections;
    const auto add = [&](const Rect& rect) -> Detection* {
        const Rect inside = clipped(rect, size);
        if (inside.width <= 0 || inside.height <= 0) return nullptr;
        Detection& detection = detections.emplace_back();
        detection.box = {double(inside.x), double(inside.y), double(inside.width), double(inside.height)};
        return &detection;
    };
    if (options.raw || options.min_neighbors == 0) {
        for (const CascadeWindow& window : windows) {
            Detection* detection = add(image_rect(window, levels[window.level]));
            if (detection == nullptr) continue;
            detection->neighbors = 1;
            // A raw window has no neighbours to count: only its last sum tells how certain it is.
            detection->score = options.raw || options.score == ScoreKind::stage_sum ? window.last_sum : 1;
            if (options.raw) {
                detection->stage = static_cast<int>(cascade_.stages.size());
                detection->stage_sum = window.last_sum;
            }
        }
    } else {
        std::vector<ScoredRect> rects;
        rects.reserve(windows.size());
        for (const CascadeWindow& window : windows) {
            rects.push_back({image_rect(window, levels[window.level]), window.last_sum});
        }
        for (const RectGroup& group : group_rects(rects, options.min_neighbors)) {
            Detection* detection = add(group.rect);
            if (detection == nullptr) continue;
            detection->neighbors = group.neighbors;
            detection->score = options.score == ScoreKind::stage_sum ? group.score : group.neighbors;
        }
    }
    std::sort(detections.begin(), detections.end(), before);
    return detections;
}

std::vector<std::vector<Detection>> CascadeDetector::detect(
    std::span<const ImageView<const std::uint8_t>> images, const DetectorOptions& options) const {
    check_options(options);
    std::vector<std::vector<Detection>> results(images.size());
    tbb::parallel_for(std::size_t{0}, images.size(),
                      [&](std::size_t i) { results[i] = detect_one(images[i], options); });
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
