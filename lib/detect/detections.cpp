#include "lib/detect/detections.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "kernels/landmark/face_box.hpp"
#include "lib/core/box_index.hpp"
#include "lib/core/overlap.hpp"

namespace fovea {
namespace {

bool before(const Detection& a, const Detection& b) {
    // Nearly always.
    if (a.score != b.score) return a.score > b.score;
    const auto key = [](const Detection& d) {
        return std::tuple(d.box.y, d.box.x, d.box.w, d.box.h, -d.details->stage_sum.value_or(0));
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

/// The edges of boxes, rounded outwards, so that boxes that share a point do so here, too. Boxes are compared
/// in groups, for which compilers take vectors.
class RoundedEdges {
  public:
    static constexpr std::size_t group = 16;

    explicit RoundedEdges(std::span<const Box> boxes) {
        const std::size_t places = (boxes.size() + group - 1) / group * group;
        for (std::vector<float>* edges : {&left_, &top_, &right_, &bottom_}) edges->assign(places, nowhere);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            const Box& box = boxes[i];
            left_[i] = rounded(box.x, -1);
            top_[i] = rounded(box.y, -1);
            right_[i] = rounded(box.x + box.w, 1);
            bottom_[i] = rounded(box.y + box.h, 1);
        }
    }

    /// Box i touches no box any more.
    void take_away(std::size_t i) { left_[i] = nowhere; }

    bool touch(std::size_t a, std::size_t b) const {
        return left_[b] <= right_[a] && right_[b] >= left_[a] && top_[b] <= bottom_[a] &&
               bottom_[b] >= top_[a];
    }

    /// Whether box a touches one of the boxes `first` to first + group − 1. \param first a multiple of
    /// `group`.
    bool touches_group(std::size_t a, std::size_t first) const {
        const float left = left_[a], top = top_[a], right = right_[a], bottom = bottom_[a];
        int any = 0;
        for (std::size_t b = first; b < first + group; ++b) {
            any |= static_cast<int>(left_[b] <= right) & static_cast<int>(right_[b] >= left) &
                   static_cast<int>(top_[b] <= bottom) & static_cast<int>(bottom_[b] >= top);
        }
        return any != 0;
    }

  private:
    static constexpr float nowhere = std::numeric_limits<float>::infinity();

    static float rounded(double edge, int direction) {
        constexpr double most = 1e30;
        // More than both roundings take away.
        constexpr float slack = 1e-6F;
        const auto value = static_cast<float>(std::clamp(edge, -most, most));
        return value + static_cast<float>(direction) * std::abs(value) * slack;
    }

    std::vector<float> left_, top_, right_, bottom_;
};

/// The result of strongest(), by comparing each box that stays with all behind it.
std::vector<std::size_t> strongest_of_few(std::span<const Box> boxes,
                                          const std::function<bool(const Box&, const Box&)>& suppresses) {
    RoundedEdges edges(boxes);
    std::vector<char> is_dropped(boxes.size(), 0);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (is_dropped[i] != 0) continue;
        kept.push_back(i);
        for (std::size_t first = i / edges.group * edges.group; first < boxes.size(); first += edges.group) {
            if (!edges.touches_group(i, first)) continue;
            const std::size_t end = std::min(first + edges.group, boxes.size());
            for (std::size_t k = std::max(first, i + 1); k < end; ++k) {
                if (!edges.touch(i, k) || !suppresses(boxes[i], boxes[k])) continue;
                is_dropped[k] = 1;
                edges.take_away(k);
            }
        }
    }
    return kept;
}

bool has_wanted_size(const Box& box, const DetectorOptions& options) {
    const Size most = options.max_size;
    const bool has_maximum = most.width > 0 && most.height > 0;
    return box.w >= options.min_size.width && box.h >= options.min_size.height &&
           (!has_maximum || (box.w <= most.width && box.h <= most.height));
}

}  // namespace

void sort_detections(std::vector<Detection>& detections) {
    // Detectors often give sorted lists.
    if (std::is_sorted(detections.begin(), detections.end(), before)) return;
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
    detections.reserve(faces.size());
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
    // An index of few boxes takes longer than comparing all.
    constexpr std::size_t few = 4000;
    if (boxes.size() <= few) return strongest_of_few(boxes, suppresses);
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
