#include "lib/evaluate/evaluate_detection.hpp"

#include <algorithm>
#include <numeric>

#include <tbb/parallel_for.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/detection/detection_curve.hpp"
#include "lib/evaluate/detection/image_pairing.hpp"
#include "lib/evaluate/detection/image_trace.hpp"
#include "lib/evaluate/detection/match.hpp"
#include "lib/evaluate/detection/metrics.hpp"
#include "lib/evaluate/detection/optimal_trace.hpp"
#include "lib/evaluate/detection/results_doubt.hpp"
#include "lib/evaluate/detection/step_merge.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/evaluate/protocols/protocol.hpp"
#include "lib/evaluate/statistics/pairwise_sum.hpp"
#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {

// One annotated image: the sample and what happens in it.
struct EvaluatedImage {
    const Sample* sample = nullptr;
    int faces = 0;               // counted ones
    std::size_t first_face = 0;  // among the faces of all images, ignored ones included
    ImageTrace trace;
};

std::span<const Detection> detections_of(const ImageResult* result) {
    return result != nullptr ? std::span<const Detection>(result->detections) : std::span<const Detection>{};
}

std::vector<ProtocolImage> protocol_images(const Dataset& dataset, const ImagePairing& pairing) {
    std::vector<ProtocolImage> images(pairing.samples.size());
    for (std::size_t i = 0; i < images.size(); ++i) {
        const Sample& sample = dataset.samples[pairing.samples[i]];
        const ImageResult* result = pairing.results[i];
        images[i] = {&sample, detections_of(result), sample.size, {}};
        if (result != nullptr) images[i].places = result->places;
        if (!images[i].size && result != nullptr && result->width > 0) {
            images[i].size = ImageSize{result->width, result->height};
        }
    }
    return images;
}

std::vector<EvaluatedImage> trace_images(const Dataset& dataset, const ImagePairing& pairing,
                                         const ProtocolEvaluation* protocol,
                                         const DetectionEvaluationOptions& options) {
    std::vector<EvaluatedImage> images(pairing.samples.size());
    tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
        const Sample& sample = dataset.samples[pairing.samples[i]];
        EvaluatedImage& image = images[i];
        image.sample = &sample;
        image.trace = protocol != nullptr ? protocol->trace(i)
                                          : trace_image(sample, pairing.samples[i],
                                                        detections_of(pairing.results[i]), options);
        ImageEvaluation& outcome = image.trace.outcome;
        outcome.sample = pairing.samples[i];
        outcome.face_ignored.resize(sample.faces.size());
        for (std::size_t k = 0; k < sample.faces.size(); ++k) {
            const Face& face = sample.faces[k];
            const bool is_counted = protocol != nullptr ? protocol->counts(face) : !face.ignore;
            outcome.face_ignored[k] = is_counted ? 0 : 1;
        }
        image.trace.steps.share_scores(outcome.detections);
        image.faces =
            static_cast<int>(std::count(outcome.face_ignored.begin(), outcome.face_ignored.end(), char{0}));
    });
    return images;
}

// A protocol's evaluation with the results and images that it refers to.
struct ProtocolWithImages {
    std::shared_ptr<const DetectionResults> results;
    std::vector<ProtocolImage> images;
    std::unique_ptr<ProtocolEvaluation> evaluation;
};

// The protocol's own numbers with their intervals, and those of the other modes beside them.
std::vector<ProtocolNumber> protocol_numbers(const ProtocolEvaluation& protocol,
                                             const std::vector<ProtocolImage>& images,
                                             const DetectionEvaluationOptions& options,
                                             const ShareProgress& progress) {
    // The other modes come first: their memory is free again before the resamples take some.
    std::vector<std::pair<ProtocolMode, Numbers>> others;
    for (const auto& [mode, origin] : record_of(options.protocol).modes) {
        if (mode == options.mode) continue;
        others.emplace_back(
            mode, bootstrap_estimates(*evaluate_protocol(images, options, mode), 0, options.bootstrap_seed));
    }
    std::vector<ProtocolNumber> numbers;
    for (Number& estimate :
         bootstrap_estimates(protocol, options.bootstrap_resamples, options.bootstrap_seed, progress)) {
        ProtocolNumber& number = numbers.emplace_back();
        number.estimate = std::move(estimate);
        const Number& same = number.estimate;
        for (const auto& [mode, other] : others) {
            std::optional<double> value;
            for (const Number& found : other) {
                if (found.quantity.key == same.quantity.key) value = found.value;
            }
            if (value != same.value) number.other_modes.push_back({mode, value});
        }
    }
    return numbers;
}

void count_images(const ImagePairing& pairing, DetectionEvaluation& evaluation) {
    for (const ImageResult* const result : pairing.results) {
        if (result == nullptr) {
            ++evaluation.images_missing;
        } else if (!result->ok()) {
            ++evaluation.images_unreadable;
        }
    }
    evaluation.images = static_cast<int>(pairing.samples.size());
    evaluation.images_extra = pairing.extra;
    evaluation.warnings = pairing.warnings;
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
        const std::vector<char>& ignored = images[i].trace.outcome.face_ignored;
        for (std::size_t k = 0; k < faces.size(); ++k) {
            flat_faces += ignored[k] == 0 && faces[k].box.area() <= 0 ? 1 : 0;
        }
        const std::span<const Detection> detections = images[i].trace.outcome.detections;
        evaluation.detections += static_cast<int>(detections.size());
        for (const Detection& detection : detections) flat_detections += detection.box.area() <= 0 ? 1 : 0;
    }
    count_images(pairing, evaluation);
    const auto warn = [&](int count, const char* noun, const char* for_one, const char* for_more) {
        add_counted(evaluation.warnings, static_cast<std::size_t>(count), noun, for_one, for_more);
    };
    warn(evaluation.images_unreadable, "annotated image", " could not be read; its faces count as missed.",
         " could not be read; their faces count as missed.");
    warn(flat_faces, "annotated face", " has a box without area, which nothing can hit; it counts as missed.",
         " have a box without area, which nothing can hit; they count as missed.");
    warn(flat_detections, "detection", " has a box without area; it counts as a false positive.",
         " have a box without area; they count as false positives.");
}

RocPoint point_of_curve(double threshold, int true_positives, int false_positives, double iou_sum,
                        double continuous_sum, const DetectionEvaluation& evaluation) {
    RocPoint point;
    point.threshold = threshold;
    point.true_positives = true_positives;
    point.false_positives = false_positives;
    point.detection_rate = rate_of(true_positives, evaluation.faces);
    point.precision = rate_of(true_positives, static_cast<double>(true_positives) + false_positives);
    point.false_positives_per_image = rate_of(false_positives, evaluation.images);
    point.mean_iou = rate_of(iou_sum, true_positives);
    point.continuous_rate = rate_of(continuous_sum, evaluation.faces);
    return point;
}

// Merges the images' traces, highest score first, and writes the curve down after each score.
CurveSteps trace_curve(const std::vector<EvaluatedImage>& images, DetectionEvaluation& evaluation) {
    PairwiseSum iou_sum(static_cast<std::size_t>(evaluation.faces + evaluation.faces_ignored));
    std::vector<double> face_iou(static_cast<std::size_t>(evaluation.faces + evaluation.faces_ignored));
    CurveSteps curve;
    std::size_t steps = 0;
    for (const EvaluatedImage& image : images) steps += image.trace.steps.size();
    curve.reserve(steps);
    int true_positives = 0;
    int false_positives = 0;
    std::int64_t pair_iou = 0;
    const bool counts_all_pairs = std::any_of(images.begin(), images.end(), [](const EvaluatedImage& image) {
        return !image.trace.pair_iou.empty();
    });
    const auto add_step = [&](std::size_t index, std::size_t place, bool ends_score) {
        const EvaluatedImage& image = images[index];
        const TraceSteps::Step step = image.trace.steps[place];
        double gained = 0;
        for (std::size_t k = step.changes_begin; k < step.changes_end; ++k) {
            const ImageTrace::Change& change = image.trace.changes[k];
            double& iou = face_iou[image.first_face + change.face];
            gained += change.iou - iou;
            iou = change.iou;
            iou_sum.set(image.first_face + change.face, change.iou);
        }
        if (counts_all_pairs) {
            pair_iou += image.trace.pair_iou[place];
            gained = static_cast<double>(image.trace.pair_iou[place]) / units_per_one;
        }
        true_positives += step.true_positives;
        false_positives += step.false_positives;
        curve.add({static_cast<std::uint32_t>(index), step.true_positives, step.false_positives, gained},
                  ends_score);
        if (!ends_score) return;
        const double hits = iou_sum.total();
        const double continuous = counts_all_pairs ? static_cast<double>(pair_iou) / units_per_one : hits;
        evaluation.roc.push_back(
            point_of_curve(step.score, true_positives, false_positives, hits, continuous, evaluation));
    };
    visit_by_falling_score(
        images.size(), [&](std::size_t i) -> const TraceSteps& { return images[i].trace.steps; }, add_step);
    return curve;
}

std::vector<int> fit_of_faces(const std::vector<EvaluatedImage>& images) {
    std::vector<double> ious;
    for (const EvaluatedImage& image : images) {
        for (std::size_t k = 0; k < image.sample->faces.size(); ++k) {
            if (image.trace.outcome.face_ignored[k] == 0) ious.push_back(image.trace.face_iou[k]);
        }
    }
    return iou_histogram(ious);
}

std::vector<CurveImage> curve_images(const std::vector<EvaluatedImage>& images) {
    std::vector<CurveImage> list;
    list.reserve(images.size());
    for (const EvaluatedImage& image : images) {
        CurveImage entry;
        entry.faces = image.faces;
        const TraceSteps::Total total = image.trace.steps.total();
        entry.true_positives = total.true_positives;
        entry.false_positives = total.false_positives;
        for (const double iou : image.trace.face_iou) entry.iou_sum += iou;
        const std::vector<std::int64_t>& pairs = image.trace.pair_iou;
        entry.continuous_sum =
            pairs.empty()
                ? entry.iou_sum
                : static_cast<double>(std::accumulate(pairs.begin(), pairs.end(), std::int64_t{0})) /
                      units_per_one;
        list.push_back(entry);
    }
    return list;
}

struct BestF1 {
    double f1 = 0;
    double threshold = 0;  ///< the highest that reaches it
};

BestF1 best_f1(const DetectionEvaluation& evaluation) {
    BestF1 best;
    if (!evaluation.roc.empty()) best.threshold = evaluation.roc.front().threshold;
    for (const RocPoint& point : evaluation.roc) {
        const double f1 = f1_score(point.true_positives, point.false_positives, evaluation.faces);
        if (f1 > best.f1) best = {f1, point.threshold};
    }
    return best;
}

/// \param resampled with their intervals, in the order of the curve's statistics. Their values are sums over
/// images, which may differ in the last digits from those of the curve, which are stated.
void fill_estimates(const Numbers& resampled, DetectionEvaluation& evaluation) {
    const auto add = [&](const std::string& key, double value) {
        Number& number = evaluation.estimates.emplace_back(number_of_key(resampled, key));
        if (number.value) number.value = value;
    };
    const RocPoint last = evaluation.roc.empty() ? RocPoint() : evaluation.roc.back();
    add("average_precision", average_precision(evaluation.roc, evaluation.faces));
    for (RateAtFalsePositives& rate : evaluation.rate_at_false_positives) {
        add(rate_quantity(rate.false_positives).key, rate.detection_rate);
        rate.detection_rate_ci95 = evaluation.estimates.back().ci95;
    }
    const BestF1 best = best_f1(evaluation);
    evaluation.best_f1_threshold = best.threshold;
    add("best_f1", best.f1);
    add("detection_rate", last.detection_rate);
    add("precision", last.precision);
    add("f1", f1_score(last.true_positives, last.false_positives, evaluation.faces));
    add("false_positives_per_image", last.false_positives_per_image);
    add("mean_iou", last.mean_iou);
    add("continuous_rate", last.continuous_rate);
}

void fill_intervals(const DetectionCurve& curve, const std::vector<int>& band,
                    DetectionEvaluation& evaluation, const ShareProgress& progress) {
    Numbers estimates = bootstrap_estimates(curve, evaluation.options.bootstrap_resamples,
                                            evaluation.options.bootstrap_seed, progress);
    const auto interval = [&](std::size_t i) { return estimates[i].ci95; };
    for (std::size_t i = 0; i < band.size(); ++i) {
        const std::optional<Interval> bounds = interval(curve.first_band() + i);
        if (bounds) evaluation.roc_band.push_back({static_cast<double>(band[i]), *bounds});
        const std::optional<Interval> continuous = interval(curve.first_continuous() + i);
        if (continuous) evaluation.continuous_band.push_back({static_cast<double>(band[i]), *continuous});
    }
    for (int i = 0; i < DetectionCurve::recall_points; ++i) {
        const std::optional<Interval> bounds = interval(curve.first_recall() + static_cast<std::size_t>(i));
        if (bounds) {
            evaluation.precision_band.push_back({(i + 1.0) / DetectionCurve::recall_points, *bounds});
        }
    }
    fill_estimates(estimates, evaluation);
}

void fill_totals(DetectionEvaluation& evaluation) {
    if (!evaluation.roc.empty()) {
        const RocPoint& last = evaluation.roc.back();
        evaluation.true_positives = last.true_positives;
        evaluation.false_positives = last.false_positives;
    }
    evaluation.detections_ignored =
        evaluation.detections - evaluation.true_positives - evaluation.false_positives;
    for (const int allowed : evaluation.options.false_positive_points) {
        evaluation.rate_at_false_positives.push_back(rate_at_false_positives(evaluation.roc, allowed));
    }
}

}  // namespace

DetectionEvaluation evaluate_detection(const Dataset& dataset, DetectionResults given,
                                       const DetectionEvaluationOptions& options, const std::string& name,
                                       const ShareProgress& progress) {
    check_options(options);
    DetectionEvaluation evaluation;
    evaluation.name = name;
    evaluation.options = options;

    evaluation.results = std::make_shared<const DetectionResults>(std::move(given));
    const DetectionResults& results = *evaluation.results;
    const ImagePairing pairing = pair_images(dataset, results);
    const auto protocol = std::make_shared<ProtocolWithImages>();
    protocol->results = evaluation.results;
    protocol->images = protocol_images(dataset, pairing);
    protocol->evaluation = evaluate_protocol(protocol->images, options, options.mode);
    std::vector<EvaluatedImage> images = trace_images(dataset, pairing, protocol->evaluation.get(), options);
    count_inputs(images, pairing, evaluation);
    evaluation.warnings.insert(evaluation.warnings.end(), results.warnings.begin(), results.warnings.end());
    for (std::string& doubt : doubts_about_results(dataset, results, pairing))
        evaluation.warnings.push_back(std::move(doubt));
    if (protocol->evaluation != nullptr) {
        evaluation.ignored_but_counted = protocol->evaluation->ignored_but_counted();
        for (std::string& warning : protocol->evaluation->warnings()) {
            evaluation.warnings.push_back(std::move(warning));
        }
    }
    CurveSteps steps = trace_curve(images, evaluation);
    fill_totals(evaluation);
    if (evaluation.faces == 0) {
        evaluation.warnings.emplace_back(
            "No annotated face counts: detection rate, average precision and F1 are undefined.");
    }
    evaluation.iou_histogram = fit_of_faces(images);
    const std::vector<int> band = band_points(evaluation.false_positives);
    const auto curve = std::make_shared<const DetectionCurve>(std::move(steps), curve_images(images),
                                                              options.false_positive_points, band);
    // The steps, the largest part, are done with before the protocol needs memory for its own numbers.
    for (EvaluatedImage& image : images) image.trace.steps = {};
    // Both are resampled as often.
    const double curve_from = protocol->evaluation != nullptr ? 0.5 : 0.1;
    if (protocol->evaluation != nullptr) {
        evaluation.protocol_numbers = protocol_numbers(*protocol->evaluation, protocol->images, options,
                                                       part_of_progress(progress, 0.1, curve_from));
    }
    fill_intervals(*curve, band, evaluation, part_of_progress(progress, curve_from, 1));
    evaluation.resampleables.push_back(curve);
    if (protocol->evaluation != nullptr) {
        // Shares the ownership of what it refers to.
        evaluation.resampleables.emplace_back(protocol, protocol->evaluation.get());
    }
    for (std::size_t i = 0; i < images.size(); ++i) {
        ImageEvaluation& outcome = images[i].trace.outcome;
        if (outcome.holder == nullptr) outcome.holder = evaluation.results;
        if (const ImageResult* result = pairing.results[i]) {
            outcome.status = result->status;
            if (record_of(options.protocol).takes_file_order) outcome.places = result->places;
            if (result->width > 0 && result->height > 0)
                outcome.result_size = ImageSize{result->width, result->height};
        }
        evaluation.image_outcomes.push_back(std::move(outcome));
    }
    return evaluation;
}

DetectionEvaluation evaluate_protocol_only(const Dataset& dataset, const DetectionResults& results,
                                           const DetectionEvaluationOptions& options,
                                           const std::string& name) {
    check_options(options);
    DetectionEvaluation evaluation;
    evaluation.name = name;
    evaluation.options = options;
    const ImagePairing pairing = pair_images(dataset, results);
    const std::vector<ProtocolImage> images = protocol_images(dataset, pairing);
    const std::unique_ptr<ProtocolEvaluation> protocol = evaluate_protocol(images, options, options.mode);
    if (protocol == nullptr) {
        throw UsageError("the protocol " + record_of(options.protocol).name +
                         " has no numbers of its own that could be asked for alone");
    }
    for (const ProtocolImage& image : images) {
        const std::vector<Face>& faces = image.sample->faces;
        const auto counted =
            std::ranges::count_if(faces, [&](const Face& face) { return protocol->counts(face); });
        evaluation.faces += static_cast<int>(counted);
        evaluation.faces_ignored += static_cast<int>(faces.size()) - static_cast<int>(counted);
        evaluation.detections += static_cast<int>(image.detections.size());
    }
    evaluation.ignored_but_counted = protocol->ignored_but_counted();
    count_images(pairing, evaluation);
    for (const std::string& warning : results.warnings) evaluation.warnings.push_back(warning);
    for (std::string& doubt : doubts_about_results(dataset, results, pairing))
        evaluation.warnings.push_back(std::move(doubt));
    for (const std::string& warning : protocol->warnings()) evaluation.warnings.push_back(warning);
    for (Number& estimate :
         bootstrap_estimates(*protocol, options.bootstrap_resamples, options.bootstrap_seed)) {
        evaluation.protocol_numbers.push_back({std::move(estimate), {}});
    }
    return evaluation;
}

}  // namespace fovea
