#include "lib/evaluate/detection/image_trace.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "lib/core/box_index.hpp"
#include "lib/core/error.hpp"
#include "lib/core/overlap.hpp"
#include "lib/evaluate/detection/match.hpp"

namespace fovea {
namespace {

bool is_finite(const Box& box) {
    return std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.w) && std::isfinite(box.h);
}

bool is_finite(const std::optional<Ellipse>& ellipse) {
    return !ellipse || (std::isfinite(ellipse->centre.x) && std::isfinite(ellipse->centre.y) &&
                        std::isfinite(ellipse->major_radius) && std::isfinite(ellipse->minor_radius) &&
                        std::isfinite(ellipse->angle_rad));
}

}  // namespace

void ImageTrace::add_step(double score, int true_positives, int false_positives) {
    steps.add(score, true_positives, false_positives, changes.size());
}

void ImageTrace::change(std::size_t face, double iou) {
    changes.push_back({static_cast<std::uint32_t>(face), iou});
}

void check_finite(const Sample& sample, std::span<const Detection> detections) {
    for (const Face& face : sample.faces) {
        if (!is_finite(face.box) || !is_finite(face.ellipse)) {
            throw Error("A face of '" + sample.image +
                        "' has a box that is not finite; correct the annotation.");
        }
    }
    for (const Detection& detection : detections) {
        if (!is_finite(detection.box) || !is_finite(detection.details->ellipse) ||
            !std::isfinite(detection.score)) {
            throw Error(
                "A detection in '" + sample.image +
                "' has a box or score that is not finite, so it has no place on the curve; correct the "
                "results.");
        }
    }
}

std::vector<std::size_t> order_by_falling_score(std::span<const Detection> detections, ProtocolMode mode) {
    std::vector<std::size_t> order(detections.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto is_before = [&](std::size_t a, std::size_t b) {
        const Detection& first = detections[a];
        const Detection& second = detections[b];
        if (first.score != second.score) return first.score > second.score;
        if (mode == ProtocolMode::strict) return a < b;
        return std::tie(first.box.y, first.box.x, first.box.w, first.box.h, a) <
               std::tie(second.box.y, second.box.x, second.box.w, second.box.h, b);
    };
    // Most detectors write them so.
    if (!std::is_sorted(order.begin(), order.end(), is_before))
        std::sort(order.begin(), order.end(), is_before);
    return order;
}

ImageTrace start_trace(const Sample& sample, std::size_t sample_index, std::span<const Detection> detections,
                       const std::vector<double>& best_iou) {
    ImageTrace trace;
    trace.outcome.sample = sample_index;
    trace.outcome.detections = detections;
    trace.outcome.outcomes.assign(detections.size(), DetectionMatch::ignored);
    trace.outcome.face_match.assign(sample.faces.size(), -1);
    for (const Face& face : sample.faces) trace.outcome.face_ignored.push_back(face.ignore ? 1 : 0);
    trace.face_iou.assign(sample.faces.size(), 0);
    trace.outcome.best_iou = SparseValues(best_iou);
    return trace;
}

ImageTrace start_trace(const Sample& sample, std::size_t sample_index,
                       std::span<const Detection> detections) {
    std::vector<double> best_iou(detections.size());
    const BoxIndex faces(sample.faces);
    for (std::size_t i = 0; i < detections.size(); ++i) {
        double& best = best_iou[i];
        faces.visit_touching(detections[i].box, [&](std::size_t face) {
            best = std::max(best, intersection_over_union(sample.faces[face].box, detections[i].box));
        });
    }
    return start_trace(sample, sample_index, detections, best_iou);
}

ImageTrace trace_image(const Sample& sample, std::size_t sample_index, std::span<const Detection> detections,
                       const DetectionEvaluationOptions& options) {
    check_finite(sample, detections);
    const std::vector<std::size_t> order = order_by_falling_score(detections, ProtocolMode::corrected);
    ImageMatcher matcher(sample.faces, options);
    ImageTrace trace = start_trace(sample, sample_index, detections);
    trace.steps.reserve(order.size());
    for (const std::size_t i : order) {
        const DetectionMatch adds = matcher.add(detections[i].box);
        for (const int face : matcher.changed_faces()) {
            trace.change(static_cast<std::size_t>(face), matcher.matched_iou(face));
        }
        trace.add_step(detections[i].score, adds == DetectionMatch::true_positive ? 1 : 0,
                       adds == DetectionMatch::false_positive ? 1 : 0);
    }

    ImageEvaluation& outcome = trace.outcome;
    for (std::size_t k = 0; k < order.size(); ++k) {
        outcome.outcomes[order[k]] = matcher.outcome_of(static_cast<int>(k));
    }
    for (std::size_t face = 0; face < sample.faces.size(); ++face) {
        const int step = matcher.detection_of(static_cast<int>(face));
        if (step >= 0) outcome.face_match[face] = static_cast<int>(order[static_cast<std::size_t>(step)]);
        trace.face_iou[face] = matcher.matched_iou(static_cast<int>(face));
    }
    return trace;
}

}  // namespace fovea
