#include "lib/evaluate/match.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

// One unit of weight is 2^-40 of IoU. A pair more weighs more than every IoU of the image together.
constexpr double units_per_iou = 1099511627776.0;
constexpr std::size_t most_faces = (std::size_t{1} << 20) - 2;

std::int64_t pair_weight(double iou, std::size_t faces) {
    return (static_cast<std::int64_t>(faces) + 1) * static_cast<std::int64_t>(units_per_iou) +
           std::llround(iou * units_per_iou);
}

bool is_mit_cmu_hit(const Box& face, const Box& detection) {
    // Twice the centres' distance, and fractions multiplied out, so that integers stay integers.
    const double dx = (2 * detection.x + detection.w) - (2 * face.x + face.w);
    const double dy = (2 * detection.y + detection.h) - (2 * face.y + face.h);
    const bool is_near = 25 * (dx * dx + dy * dy) <= 9 * face.w * face.w;
    return is_near && 2 * std::abs(detection.w - face.w) <= face.w;
}

}  // namespace

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
    : faces_(faces), options_(options), matcher_(static_cast<int>(std::min(faces.size(), most_faces))) {
    if (faces.size() > most_faces) {
        throw Error("An image has " + std::to_string(faces.size()) +
                    " annotated faces; evaluation is possible up to " + std::to_string(most_faces) + ".");
    }
}

DetectionOutcome ImageMatcher::add(const Box& box) {
    edges_.clear();
    bool hits_ignored_face = false;
    for (std::size_t i = 0; i < faces_.size(); ++i) {
        if (!is_hit(faces_[i].box, box, options_)) continue;
        if (faces_[i].ignore) {
            hits_ignored_face = true;
        } else {
            edges_.push_back({static_cast<int>(i),
                              pair_weight(intersection_over_union(faces_[i].box, box), faces_.size())});
        }
    }
    boxes_.push_back(box);
    hits_ignored_face_.push_back(hits_ignored_face ? 1 : 0);
    const int left_alone = matcher_.add_row(edges_);
    return left_alone < 0 ? DetectionOutcome::true_positive : outcome_of(left_alone);
}

double ImageMatcher::matched_iou(int face) const {
    const int detection = matcher_.row_of(face);
    if (detection < 0) return 0;
    return intersection_over_union(faces_[static_cast<std::size_t>(face)].box,
                                   boxes_[static_cast<std::size_t>(detection)]);
}

DetectionOutcome ImageMatcher::outcome_of(int detection) const {
    if (matcher_.column_of(detection) >= 0) return DetectionOutcome::true_positive;
    return hits_ignored_face_[static_cast<std::size_t>(detection)] != 0 ? DetectionOutcome::ignored
                                                                        : DetectionOutcome::false_positive;
}

}  // namespace fovea
