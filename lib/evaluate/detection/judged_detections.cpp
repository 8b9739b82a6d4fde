#include "lib/evaluate/detection/judged_detections.hpp"

#include <limits>
#include <utility>

#include <tbb/parallel_for.h>

#include "lib/evaluate/detection/image_trace.hpp"
#include "lib/evaluate/detection/match.hpp"

namespace fovea {
namespace {

bool is_matched_optimally(const DetectionEvaluationOptions& options) {
    return options.protocol == DetectionProtocol::iou || options.protocol == DetectionProtocol::mit_cmu;
}

// The image without the detections below the threshold; what is left keeps its outcome.
ImageEvaluation without_lower(const ImageEvaluation& outcome, double threshold) {
    ImageEvaluation kept;
    kept.sample = outcome.sample;
    kept.face_ignored = outcome.face_ignored;
    std::vector<int> place(outcome.detections.size(), -1);
    std::vector<Detection> detections;
    std::vector<double> best_iou;
    for (std::size_t i = 0; i < outcome.detections.size(); ++i) {
        if (outcome.detections[i].score < threshold) continue;
        place[i] = static_cast<int>(detections.size());
        detections.push_back(outcome.detections[i]);
        kept.outcomes.push_back(outcome.outcomes[i]);
        best_iou.push_back(outcome.best_iou[i]);
    }
    for (const int match : outcome.face_match) {
        kept.face_match.push_back(match < 0 ? -1 : place[static_cast<std::size_t>(match)]);
    }
    kept.best_iou = SparseValues(best_iou);
    kept.hold(std::move(detections));
    return kept;
}

}  // namespace

std::vector<std::vector<CurveDetection>> judged_detections(const Dataset& dataset,
                                                           const DetectionEvaluation& evaluation) {
    std::vector<std::vector<CurveDetection>> images(evaluation.image_outcomes.size());
    tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
        const ImageEvaluation& image = evaluation.image_outcomes[i];
        const bool is_optimal = is_matched_optimally(evaluation.options);
        ImageMatcher matcher(dataset.samples.at(image.sample).faces, evaluation.options);
        std::vector<char> is_found(image.face_match.size(), 0);
        std::vector<int> face_of(image.detections.size(), -1);
        for (std::size_t f = 0; f < image.face_match.size() && !is_optimal; ++f) {
            if (image.face_match[f] >= 0)
                face_of[static_cast<std::size_t>(image.face_match[f])] = static_cast<int>(f);
        }
        for (const std::size_t k : order_by_falling_score(image.detections, ProtocolMode::corrected)) {
            const DetectionMatch outcome =
                is_optimal ? matcher.add(image.detections[k].box) : image.outcomes[k];
            for (const int face : matcher.changed_faces()) {
                if (!std::exchange(is_found[static_cast<std::size_t>(face)], 1)) face_of[k] = face;
            }
            images[i].push_back({image.detections[k].score, outcome, k, face_of[k]});
        }
    });
    return images;
}

std::vector<ImageScores> image_scores(const Dataset& dataset, const DetectionEvaluation& evaluation) {
    const std::vector<std::vector<CurveDetection>> judged = judged_detections(dataset, evaluation);
    std::vector<ImageScores> scores(judged.size());
    for (std::size_t i = 0; i < judged.size(); ++i) {
        scores[i].found.assign(evaluation.image_outcomes[i].face_match.size(),
                               -std::numeric_limits<double>::infinity());
        for (const CurveDetection& detection : judged[i]) {
            if (detection.face >= 0)
                scores[i].found[static_cast<std::size_t>(detection.face)] = detection.score;
            if (detection.outcome != DetectionMatch::false_positive) continue;
            scores[i].false_positives.push_back(detection.score);
            scores[i].alarms.push_back(detection.detection);
        }
    }
    return scores;
}

std::vector<ImageEvaluation> outcomes_at(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                         double threshold) {
    std::vector<ImageEvaluation> outcomes(evaluation.image_outcomes.size());
    tbb::parallel_for(std::size_t{0}, outcomes.size(), [&](std::size_t i) {
        const ImageEvaluation& image = evaluation.image_outcomes[i];
        outcomes[i] = without_lower(image, threshold);
        if (outcomes[i].detections.size() < image.detections.size() &&
            is_matched_optimally(evaluation.options)) {
            ImageEvaluation again = trace_image(dataset.samples.at(image.sample), image.sample,
                                                outcomes[i].detections, evaluation.options)
                                        .outcome;
            again.holder = outcomes[i].holder;
            outcomes[i] = std::move(again);
        }
    });
    return outcomes;
}

}  // namespace fovea
