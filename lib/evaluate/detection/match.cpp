#include "lib/evaluate/detection/match.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

// One unit of weight is 2^-40 of IoU. A pair more weighs more than every IoU of the image together.
constexpr double units_per_iou = 1099511627776.0;
constexpr std::size_t max_faces = (std::size_t{1} << 20) - 2;

std::int64_t pair_weight(double iou, std::size_t faces) {
    return (static_cast<std::int64_t>(faces) + 1) * static_cast<std::int64_t>(units_per_iou) +
           std::llround(iou * units_per_iou);
}

// Integers stay integers.
Point twice_the_centre(const Box& box) {
    return {2 * box.x + box.w, 2 * box.y + box.h};
}

bool is_mit_cmu_hit(const Box& face, const Box& detection) {
    // Twice the centres' distance, and fractions multiplied out.
    const double dx = twice_the_centre(detection).x - twice_the_centre(face).x;
    const double dy = twice_the_centre(detection).y - twice_the_centre(face).y;
    const bool is_near = 25 * (dx * dx + dy * dy) <= 9 * face.w * face.w;
    return is_near && 2 * std::abs(detection.w - face.w) <= face.w;
}

// The box of the doubled centres of all detections that hit the face, and a little more: squares may vanish.
Box mit_cmu_reach(const Box& face) {
    const Point centre = twice_the_centre(face);
    const double reach =
        0.6 * std::abs(face.w) + 1e-9 * (std::abs(face.w) + std::abs(centre.x) + std::abs(centre.y)) + 1e-100;
    return {centre.x - reach, centre.y - reach, 2 * reach, 2 * reach};
}

std::vector<Box> reaches_of(std::span<const Face> faces, const DetectionEvaluationOptions& options) {
    std::vector<Box> reaches;
    reaches.reserve(faces.size());
    for (const Face& face : faces) {
        reaches.push_back(options.protocol == DetectionProtocol::mit_cmu ? mit_cmu_reach(face.box)
                                                                         : face.box);
    }
    return reaches;
}

}  // namespace

HitIndex::HitIndex(std::span<const Face> faces, const DetectionEvaluationOptions& options)
    : faces_(faces), options_(options), index_(reaches_of(faces, options)) {}

Box HitIndex::place_of(const Box& detection) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (options_.protocol != DetectionProtocol::mit_cmu) {
        // Without a threshold boxes need not touch.
        return options_.iou_threshold > 0 ? detection : Box{-infinity, -infinity, infinity, infinity};
    }
    const Point centre = twice_the_centre(detection);
    return {centre.x, centre.y, 0, 0};
}

bool is_hit(const Box& face, const Box& detection, const DetectionEvaluationOptions& options) {
    if (face.area() <= 0 || detection.area() <= 0) return false;
    if (options.protocol == DetectionProtocol::mit_cmu) return is_mit_cmu_hit(face, detection);
    return intersection_over_union(face, detection) >= options.iou_threshold;
}

void check_options(const DetectionEvaluationOptions& options) {
    if (options.protocol == DetectionProtocol::iou &&
        !(options.iou_threshold > 0 && options.iou_threshold <= 1)) {
        throw UsageError(
            "The IoU threshold of an evaluation must be greater than 0 and at most 1, and it is " +
            std::to_string(options.iou_threshold) + ".");
    }
    for (const int count : options.false_positive_points) {
        if (count < 0) {
            throw UsageError("The detection rate was asked for at " + std::to_string(count) +
                             " false positives; give 0 or more.");
        }
    }
    if (options.bootstrap_resamples < 0) {
        throw UsageError("The number of bootstrap resamples is " +
                         std::to_string(options.bootstrap_resamples) +
                         "; give 0 for no confidence intervals, or 1000.");
    }
}

ImageMatcher::ImageMatcher(std::span<const Face> faces, const DetectionEvaluationOptions& options)
    : faces_(faces), hits_(faces, options), matcher_(static_cast<int>(std::min(faces.size(), max_faces))) {
    if (faces.size() > max_faces) {
        throw Error("An image has " + std::to_string(faces.size()) +
                    " annotated faces; evaluation is possible up to " + std::to_string(max_faces) + ".");
    }
}

DetectionMatch ImageMatcher::add(const Box& box) {
    edges_.clear();
    bool hits_ignored_face = false;
    hits_.visit_hits(box, [&](std::size_t i) {
        if (faces_[i].ignore) {
            hits_ignored_face = true;
        } else {
            edges_.push_back({static_cast<int>(i),
                              pair_weight(intersection_over_union(faces_[i].box, box), faces_.size())});
        }
    });
    boxes_.push_back(box);
    hits_ignored_face_.push_back(hits_ignored_face ? 1 : 0);
    const int left_alone = matcher_.add_row(edges_);
    return left_alone < 0 ? DetectionMatch::true_positive : outcome_of(left_alone);
}

double ImageMatcher::matched_iou(int face) const {
    const int detection = matcher_.row_of(face);
    if (detection < 0) return 0;
    return intersection_over_union(faces_[static_cast<std::size_t>(face)].box,
                                   boxes_[static_cast<std::size_t>(detection)]);
}

DetectionMatch ImageMatcher::outcome_of(int detection) const {
    if (matcher_.column_of(detection) >= 0) return DetectionMatch::true_positive;
    return hits_ignored_face_[static_cast<std::size_t>(detection)] != 0 ? DetectionMatch::ignored
                                                                        : DetectionMatch::false_positive;
}

}  // namespace fovea
