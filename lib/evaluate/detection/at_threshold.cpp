#include "lib/evaluate/detection/at_threshold.hpp"

#include "lib/evaluate/detection/metrics.hpp"
#include "lib/json/json.hpp"

namespace fovea {

FixedThresholdResult evaluate_at_threshold(const DetectionEvaluation& evaluation, double threshold,
                                           std::string origin) {
    FixedThresholdResult at;
    at.threshold = threshold;
    at.origin = std::move(origin);
    // The curve has a point for every score: the last one not below the threshold keeps the same detections.
    for (const RocPoint& point : evaluation.roc) {
        if (point.threshold < threshold) break;
        at.point = point;
    }
    at.point.threshold = threshold;
    at.f1 = f1_score(at.point.true_positives, at.point.false_positives, evaluation.faces);
    return at;
}

Json at_threshold_to_json(const FixedThresholdResult& at, int faces) {
    const RocPoint& point = at.point;
    return {{"threshold", at.threshold},
            {"origin", at.origin},
            {"true_positives", point.true_positives},
            {"false_positives", point.false_positives},
            {"false_negatives", faces - point.true_positives},
            {"detection_rate", point.detection_rate},
            {"recall", point.detection_rate},
            {"precision", point.precision},
            {"f1", at.f1},
            {"false_positives_per_image", point.false_positives_per_image},
            {"mean_iou", point.mean_iou}};
}

}  // namespace fovea
