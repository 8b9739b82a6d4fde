#include "lib/evaluate/detection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "lib/core/error.hpp"
#include "lib/evaluate/bootstrap.hpp"
#include "lib/evaluate/image_pairing.hpp"
#include "lib/evaluate/match.hpp"
#include "lib/evaluate/metrics.hpp"
#include "lib/evaluate/pairwise_sum.hpp"

namespace fovea {
namespace {

bool is_finite(const Box& box) {
    return std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.w) && std::isfinite(box.h);
}

// One annotated image while detections enter by falling score.
struct ImageState {
    const Sample* sample = nullptr;
    const std::vector<Detection>* detections = nullptr;
    std::vector<std::size_t>
        order;  // of the detections: falling score, then box; free of their order in the file
    std::size_t first_face = 0;  // in the sum over all faces
    ImageMatcher matcher;

    ImageState(const Sample& the_sample, const std::vector<Detection>& the_detections,
               const DetectionEvaluationOptions& options)
        : sample(&the_sample), detections(&the_detections), matcher(the_sample.faces, options) {
        order.resize(detections->size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto key = [this](std::size_t i) {
            const Detection& detection = (*detections)[i];
            const Box& box = detection.box;
            return std::make_tuple(-detection.score, box.y, box.x, box.w, box.h);
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    }
};

struct QueueItem {
    double score = 0;
    std::uint32_t image = 0;
    std::uint32_t position = 0;  // in ImageState::order
};

void check_sample(const Sample& sample) {
    for (const Face& face : sample.faces) {
        if (!is_finite(face.box)) {
            throw Error("A face of '" + sample.image +
                        "' has a box that is not finite; correct the annotation.");
        }
    }
}

void check_detections(const ImageResult& result) {
    for (const Detection& detection : result.detections) {
        if (!is_finite(detection.box) || !std::isfinite(detection.score)) {
            throw Error(
                "A detection in '" + result.image +
                "' has a box or score that is not finite, so it has no place on the curve; correct the "
                "results.");
        }
    }
}

std::vector<ImageState> make_states(const Dataset& dataset, const ImagePairing& pairing,
                                    DetectionEvaluation& evaluation) {
    static const std::vector<Detection> nothing;
    std::vector<ImageState> states;
    states.reserve(pairing.samples.size());
    int flat_faces = 0;
    int flat_detections = 0;
    for (std::size_t i = 0; i < pairing.samples.size(); ++i) {
        const Sample& sample = dataset.samples[pairing.samples[i]];
        const ImageResult* result = pairing.results[i];
        check_sample(sample);
        if (result != nullptr) check_detections(*result);
        states.emplace_back(sample, result != nullptr ? result->detections : nothing, evaluation.options);
        states.back().first_face = static_cast<std::size_t>(evaluation.faces + evaluation.faces_ignored);
        for (const Face& face : sample.faces) {
            ++(face.ignore ? evaluation.faces_ignored : evaluation.faces);
            flat_faces += !face.ignore && face.box.area() <= 0 ? 1 : 0;
        }
        for (const Detection& detection : *states.back().detections) {
            flat_detections += detection.box.area() <= 0 ? 1 : 0;
        }
        evaluation.detections += static_cast<int>(states.back().detections->size());
        if (result == nullptr) {
            ++evaluation.images_missing;
        } else if (!result->ok()) {
            ++evaluation.images_unreadable;
        }
    }
    evaluation.images = static_cast<int>(states.size());
    evaluation.images_extra = pairing.extra;
    evaluation.warnings = pairing.warnings;
    if (evaluation.images_unreadable > 0) {
        evaluation.warnings.push_back(std::to_string(evaluation.images_unreadable) +
                                      " annotated image(s) could not be read; their faces count as missed.");
    }
    if (flat_faces > 0) {
        evaluation.warnings.push_back(
            std::to_string(flat_faces) +
            " annotated face(s) have a box without area, which nothing can hit; they count "
            "as missed.");
    }
    if (flat_detections > 0) {
        evaluation.warnings.push_back(
            std::to_string(flat_detections) +
            " detection(s) have a box without area; they count as false positives.");
    }
    return states;
}

std::vector<QueueItem> detections_by_falling_score(const std::vector<ImageState>& states) {
    std::vector<QueueItem> queue;
    for (std::size_t i = 0; i < states.size(); ++i) {
        for (std::size_t k = 0; k < states[i].order.size(); ++k) {
            queue.push_back({(*states[i].detections)[states[i].order[k]].score, static_cast<std::uint32_t>(i),
                             static_cast<std::uint32_t>(k)});
        }
    }
    std::sort(queue.begin(), queue.end(), [](const QueueItem& a, const QueueItem& b) {
        return std::make_tuple(-a.score, a.image, a.position) <
               std::make_tuple(-b.score, b.image, b.position);
    });
    return queue;
}

RocPoint point_of_curve(double threshold, int true_positives, int false_positives, double iou_sum,
                        const DetectionEvaluation& evaluation) {
    RocPoint point;
    point.threshold = threshold;
    point.true_positives = true_positives;
    point.false_positives = false_positives;
    point.detection_rate = rate_of(true_positives, evaluation.faces);
    point.precision = rate_of(true_positives, static_cast<double>(true_positives) + false_positives);
    point.false_positives_per_image = rate_of(false_positives, evaluation.images);
    point.mean_iou = rate_of(iou_sum, true_positives);
    point.continuous_rate = rate_of(iou_sum, evaluation.faces);
    return point;
}

// Adds all detections, highest score first, and writes the curve down after each score.
std::vector<CurveStep> trace_curve(std::vector<ImageState>& states, DetectionEvaluation& evaluation) {
    const std::vector<QueueItem> queue = detections_by_falling_score(states);
    PairwiseSum iou_sum(static_cast<std::size_t>(evaluation.faces + evaluation.faces_ignored));
    std::vector<CurveStep> steps;
    steps.reserve(queue.size());
    int true_positives = 0;
    int false_positives = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        ImageState& state = states[queue[i].image];
        CurveStep step;
        step.image = queue[i].image;
        switch (state.matcher.add((*state.detections)[state.order[queue[i].position]].box)) {
            case DetectionOutcome::true_positive:
                step.kind = CurveStep::Kind::true_positive;
                ++true_positives;
                break;
            case DetectionOutcome::false_positive:
                step.kind = CurveStep::Kind::false_positive;
                ++false_positives;
                break;
            case DetectionOutcome::ignored:
                break;
        }
        for (const int face : state.matcher.changed_faces()) {
            iou_sum.set(state.first_face + static_cast<std::size_t>(face), state.matcher.matched_iou(face));
        }
        step.ends_score = i + 1 == queue.size() || queue[i + 1].score != queue[i].score;
        steps.push_back(step);
        if (step.ends_score) {
            evaluation.roc.push_back(
                point_of_curve(queue[i].score, true_positives, false_positives, iou_sum.total(), evaluation));
        }
    }
    return steps;
}

ImageOutcome outcome_of_image(const ImageState& state, std::size_t sample) {
    ImageOutcome outcome;
    outcome.sample = sample;
    outcome.detections = *state.detections;
    outcome.outcomes.resize(state.detections->size());
    outcome.best_iou.resize(state.detections->size());
    for (std::size_t k = 0; k < state.order.size(); ++k) {
        const std::size_t i = state.order[k];
        outcome.outcomes[i] = state.matcher.outcome_of(static_cast<int>(k));
        for (const Face& face : state.sample->faces) {
            outcome.best_iou[i] =
                std::max(outcome.best_iou[i], intersection_over_union(face.box, outcome.detections[i].box));
        }
    }
    for (std::size_t face = 0; face < state.sample->faces.size(); ++face) {
        const int detection = state.matcher.detection_of(static_cast<int>(face));
        outcome.face_match.push_back(
            detection < 0 ? -1 : static_cast<int>(state.order[static_cast<std::size_t>(detection)]));
    }
    return outcome;
}

void fill_face_statistics(const std::vector<ImageState>& states, DetectionEvaluation& evaluation) {
    std::vector<double> ious;
    std::vector<SlicedFace> by_count;
    std::vector<SlicedFace> by_width;
    double most_faces = 0;
    double largest_width = 0;
    for (std::size_t i = 0; i < states.size(); ++i) {
        const std::vector<Face>& faces = states[i].sample->faces;
        const auto counted = static_cast<double>(
            std::count_if(faces.begin(), faces.end(), [](const Face& face) { return !face.ignore; }));
        most_faces = std::max(most_faces, counted);
        for (std::size_t k = 0; k < faces.size(); ++k) {
            if (faces[k].ignore) continue;
            const int face = static_cast<int>(k);
            const bool is_found = states[i].matcher.detection_of(face) >= 0;
            const double width = std::max(0.0, faces[k].box.w);
            largest_width = std::max(largest_width, width);
            ious.push_back(states[i].matcher.matched_iou(face));
            by_count.push_back({counted, i, is_found});
            by_width.push_back({width, i, is_found});
        }
    }
    evaluation.iou_histogram = iou_histogram(ious);
    evaluation.by_faces_in_image = slice_rates(by_count, face_count_edges(most_faces));
    evaluation.by_face_width = slice_rates(by_width, face_width_edges(largest_width));
}

void fill_totals(DetectionEvaluation& evaluation) {
    if (!evaluation.roc.empty()) {
        const RocPoint& last = evaluation.roc.back();
        evaluation.true_positives = last.true_positives;
        evaluation.false_positives = last.false_positives;
        evaluation.detection_rate = last.detection_rate;
        evaluation.precision = last.precision;
        evaluation.false_positives_per_image = last.false_positives_per_image;
        evaluation.mean_iou = last.mean_iou;
        evaluation.continuous_rate = last.continuous_rate;
        evaluation.f1 = f1_score(last.true_positives, last.false_positives, evaluation.faces);
        evaluation.best_f1_threshold = evaluation.roc.front().threshold;
    }
    evaluation.detections_ignored =
        evaluation.detections - evaluation.true_positives - evaluation.false_positives;
    for (const RocPoint& point : evaluation.roc) {
        const double f1 = f1_score(point.true_positives, point.false_positives, evaluation.faces);
        if (f1 <= evaluation.best_f1) continue;
        evaluation.best_f1 = f1;
        evaluation.best_f1_threshold = point.threshold;
    }
    evaluation.average_precision = average_precision(evaluation.roc, evaluation.faces);
    for (const int allowed : evaluation.options.false_positive_points) {
        evaluation.rate_at_false_positives.push_back(rate_at_false_positives(evaluation.roc, allowed));
    }
}

}  // namespace

DetectionEvaluation evaluate_detection(const Dataset& dataset, const std::vector<ImageResult>& results,
                                       const DetectionEvaluationOptions& options, const std::string& name) {
    check_options(options);
    DetectionEvaluation evaluation;
    evaluation.name = name;
    evaluation.options = options;

    const ImagePairing pairing = pair_images(dataset, results);
    std::vector<ImageState> states = make_states(dataset, pairing, evaluation);
    const std::vector<CurveStep> steps = trace_curve(states, evaluation);
    fill_totals(evaluation);
    fill_face_statistics(states, evaluation);

    std::vector<int> faces_of_image;
    for (std::size_t i = 0; i < states.size(); ++i) {
        evaluation.image_outcomes.push_back(outcome_of_image(states[i], pairing.samples[i]));
        faces_of_image.push_back(
            static_cast<int>(std::count_if(states[i].sample->faces.begin(), states[i].sample->faces.end(),
                                           [](const Face& face) { return !face.ignore; })));
    }
    const DetectionIntervals intervals =
        bootstrap_intervals(steps, faces_of_image, options.bootstrap_resamples, options.bootstrap_seed);
    evaluation.detection_rate_ci95 = intervals.detection_rate;
    evaluation.average_precision_ci95 = intervals.average_precision;
    return evaluation;
}

}  // namespace fovea
