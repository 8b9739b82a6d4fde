#include "lib/detect/detections.hpp"

#include <algorithm>
#include <tuple>

#include "kernels/landmark/face_box.hpp"
#include "lib/core/box_index.hpp"
#include "lib/core/overlap.hpp"

namespace fovea {
namespace {

bool before(const Detection& a, const Detection& b) {
    const auto key = [](const Detection& d) {
        return std::tuple(-d.score, d.box.y, d.box.x, d.box.w, d.box.h, -d.details->stage_sum.value_or(0));
    };
    return key(a) < key(b);
}

bool contains(const Box& box, const Point& point) {
    return point.x >= box.x && point.x < box.x + box.w && point.y >= box.y && point.y < box.y + box.h;
}

bool are_nested(const Box& a, const Box& b) {
    const Box& larger = a.area() >= b.area() ? a : b;
    const Box& smaller = a.area() >= b.area() ? b : a;
    return larger.area() > 2 * smaller.area() && contains(larger, smaller.centre());
}

bool has_wanted_size(const Box& box, const DetectorOptions& options) {
    const Size most = options.max_size;
    const bool has_maximum = most.width > 0 && most.height > 0;
    return box.w >= options.min_size.width && box.h >= options.min_size.height &&
           (!has_maximum || (box.w <= most.width && box.h <= most.height));
}

}  // namespace

void sort_detections(std::vector<Detection>& detections) {
    std::sort(detections.begin(), detections.end(), before);
}

Detection* add_inside(const Box& box, Size image, std::vector<Detection>& detections) {
    const FaceBox inside = inside_image({box.x, box.y, box.w, box.h}, image.width, image.height);
    if (!(inside.width > 0 && inside.height > 0)) return nullptr;
    Detection& detection = detections.emplace_back();
    detection.box = {inside.x, inside.y, inside.width, inside.height};
    return &detection;
}

std::vector<Detection> wanted_inside(std::span<const Detection> faces, Size image,
                                     const DetectorOptions& options) {
    std::vector<Detection> detections;
    for (const Detection& face : faces) {
        if (!has_wanted_size(face.box, options)) continue;
        Detection* const detection = add_inside(face.box, image, detections);
        if (detection != nullptr) detection->score = face.score;
    }
    sort_detections(detections);
    return detections;
}

void drop_below(double min_score, std::vector<Detection>& detections) {
    std::erase_if(detections, [&](const Detection& detection) { return detection.score < min_score; });
}

std::vector<std::size_t> strongest(std::span<const Box> boxes,
                                   const std::function<bool(const Box&, const Box&)>& suppresses) {
    const BoxIndex index(boxes);
    std::vector<char> suppressed(boxes.size(), 0);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (suppressed[i] != 0) continue;
        index.visit_touching(boxes[i], [&](std::size_t weaker) {
            if (weaker <= i || suppressed[weaker] != 0) return;
            suppressed[weaker] = suppresses(boxes[i], boxes[weaker]);
        });
        kept.push_back(i);
    }
    return kept;
}

void suppress_overlaps(std::vector<Detection>& detections, double max_iou) {
    sort_detections(detections);
    std::vector<Box> boxes;
    for (const Detection& detection : detections) boxes.push_back(detection.box);
    std::vector<Detection> kept;
    for (const std::size_t i : strongest(boxes, [&](const Box&a, const Box&b) {
             return intersection_over_union(a, b) > max_iou || are_nested(a, b);
         })) {
        kept.push_back(std::move(detections[i]));
    }
    detections = std::move(kept);
}

}  // namespace fovea
