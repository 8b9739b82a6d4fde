#include "lib/evaluate/detection.hpp"

#include <algorithm>
#include <tuple>

#include <tbb/parallel_for.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/bootstrap.hpp"
#include "lib/evaluate/image_pairing.hpp"
#include "lib/evaluate/image_trace.hpp"
#include "lib/evaluate/match.hpp"
#include "lib/evaluate/metrics.hpp"
#include "lib/evaluate/pairwise_sum.hpp"

namespace fovea {
namespace {

// One annotated image: the sample and what happens in it.
struct EvaluatedImage {
    const Sample* sample = nullptr;
    int faces = 0;               // counted ones
    std::size_t first_face = 0;  // among the faces of all images, ignored ones included
    ImageTrace trace;
};

std::vector<EvaluatedImage> trace_images(const Dataset& dataset, const ImagePairing& pairing,
                                         const DetectionEvaluationOptions& options) {
    static const std::vector<Detection> nothing;
    std::vector<EvaluatedImage> images(pairing.samples.size());
    tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
        const Sample& sample = dataset.samples[pairing.samples[i]];
        const ImageResult* result = pairing.results[i];
        images[i].sample = &sample;
        images[i].faces = static_cast<int>(std::count_if(sample.faces.begin(), sample.faces.end(),
                                                         [](const Face& face) { return !face.ignore; }));
        images[i].trace = trace_image(sample, pairing.samples[i],
                                      result != nullptr ? result->detections : nothing, options);
    });
    return images;
}

void count_inputs(std::vector<EvaluatedImage>& images, const ImagePairing& pairing,
                  DetectionEvaluation& evaluation) {
    int flat_faces = 0;
    int flat_detections = 0;
    std::size_t first_face = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::vector<Face>& faces = images[i].sample->faces;
        images[i].first_face = first_face;
        first_face += faces.size();
        evaluation.faces += images[i].faces;
        evaluation.faces_ignored += static_cast<int>(faces.size()) - images[i].faces;
        for (const Face& face : faces) flat_faces += !face.ignore && face.box.area() <= 0 ? 1 : 0;
        const std::vector<Detection>& detections = images[i].trace.outcome.detections;
        evaluation.detections += static_cast<int>(detections.size());
        for (const Detection& detection : detections) flat_detections += detection.box.area() <= 0 ? 1 : 0;
        if (pairing.results[i] == nullptr) {
            ++evaluation.images_missing;
        } else if (!pairing.results[i]->ok()) {
            ++evaluation.images_unreadable;
        }
    }
    evaluation.images = static_cast<int>(images.size());
    evaluation.images_extra = pairing.extra;
    evaluation.warnings = pairing.warnings;
    const auto warn = [&](int count, const char* noun, const char* for_one, const char* for_more) {
        if (count == 0) return;
        evaluation.warnings.push_back(counted(static_cast<std::size_t>(count), noun) +
                                      (count == 1 ? for_one : for_more));
    };
    warn(evaluation.images_unreadable, "annotated image", " could not be read; its faces count as missed.",
         " could not be read; their faces count as missed.");
    warn(flat_faces, "annotated face", " has a box without area, which nothing can hit; it counts as missed.",
         " have a box without area, which nothing can hit; they count as missed.");
    warn(flat_detections, "detection", " has a box without area; it counts as a false positive.",
         " have a box without area; they count as false positives.");
}

struct QueueItem {
    double score = 0;
    std::uint32_t image = 0;
    std::uint32_t step = 0;
};

std::vector<QueueItem> steps_by_falling_score(const std::vector<EvaluatedImage>& images) {
    std::vector<QueueItem> queue;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::vector<ImageTrace::Step>& steps = images[i].trace.steps;
        for (std::size_t k = 0; k < steps.size(); ++k) {
            queue.push_back({steps[k].score, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k)});
        }
    }
    std::sort(queue.begin(), queue.end(), [](const QueueItem& a, const QueueItem& b) {
        return std::make_tuple(-a.score, a.image, a.step) < std::make_tuple(-b.score, b.image, b.step);
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

// Merges the images' traces, highest score first, and writes the curve down after each score.
std::vector<CurveStep> trace_curve(const std::vector<EvaluatedImage>& images,
                                   DetectionEvaluation& evaluation) {
    const std::vector<QueueItem> queue = steps_by_falling_score(images);
    PairwiseSum iou_sum(static_cast<std::size_t>(evaluation.faces + evaluation.faces_ignored));
    std::vector<CurveStep> curve;
    curve.reserve(queue.size());
    int true_positives = 0;
    int false_positives = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const EvaluatedImage& image = images[queue[i].image];
        const std::vector<ImageTrace::Step>& steps = image.trace.steps;
        const std::size_t index = queue[i].step;
        for (std::size_t k = index == 0 ? 0 : steps[index - 1].changes_end; k < steps[index].changes_end;
             ++k) {
            const ImageTrace::Change& change = image.trace.changes[k];
            iou_sum.set(image.first_face + change.face, change.iou);
        }
        true_positives += steps[index].adds == DetectionOutcome::true_positive ? 1 : 0;
        false_positives += steps[index].adds == DetectionOutcome::false_positive ? 1 : 0;
        const bool ends_score = i + 1 == queue.size() || queue[i + 1].score != queue[i].score;
        curve.push_back({queue[i].image, steps[index].adds, ends_score});
        if (ends_score) {
            evaluation.roc.push_back(
                point_of_curve(queue[i].score, true_positives, false_positives, iou_sum.total(), evaluation));
        }
    }
    return curve;
}

void fill_face_statistics(const std::vector<EvaluatedImage>& images, DetectionEvaluation& evaluation) {
    std::vector<double> ious;
    std::vector<SlicedFace> by_count;
    std::vector<SlicedFace> by_width;
    double most_faces = 0;
    double largest_width = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::vector<Face>& faces = images[i].sample->faces;
        const double count = images[i].faces;
        most_faces = std::max(most_faces, count);
        for (std::size_t k = 0; k < faces.size(); ++k) {
            if (faces[k].ignore) continue;
            const bool is_found = images[i].trace.outcome.face_match[k] >= 0;
            const double width = std::max(0.0, faces[k].box.w);
            largest_width = std::max(largest_width, width);
            ious.push_back(images[i].trace.face_iou[k]);
            by_count.push_back({count, i, is_found});
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

DetectionEvaluation evaluate_detection(const Dataset& dataset, const DetectionResults& results,
                                       const DetectionEvaluationOptions& options, const std::string& name) {
    check_options(options);
    DetectionEvaluation evaluation;
    evaluation.name = name;
    evaluation.options = options;

    const ImagePairing pairing = pair_images(dataset, results);
    std::vector<EvaluatedImage> images = trace_images(dataset, pairing, options);
    count_inputs(images, pairing, evaluation);
    const std::vector<CurveStep> curve = trace_curve(images, evaluation);
    fill_totals(evaluation);
    fill_face_statistics(images, evaluation);

    std::vector<int> faces_of_image;
    for (EvaluatedImage& image : images) {
        faces_of_image.push_back(image.faces);
        evaluation.image_outcomes.push_back(std::move(image.trace.outcome));
    }
    const DetectionIntervals intervals =
        bootstrap_intervals(curve, faces_of_image, options.bootstrap_resamples, options.bootstrap_seed,
                            options.false_positive_points);
    evaluation.detection_rate_ci95 = intervals.detection_rate;
    evaluation.average_precision_ci95 = intervals.average_precision;
    for (std::size_t i = 0; i < intervals.rates_at_false_positives.size(); ++i) {
        evaluation.rate_at_false_positives[i].detection_rate_ci95 = intervals.rates_at_false_positives[i];
    }
    return evaluation;
}

}  // namespace fovea
