#pragma once

#include <string>

#include "lib/evaluate/detection/detection.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The numbers of the detector when the detections with score >= threshold are kept. The threshold was fixed
/// on another run, so that no number of this run has influenced it: these are the numbers to expect in use.
FixedThresholdResult evaluate_at_threshold(const DetectionEvaluation& evaluation, double threshold,
                                           std::string origin);

/// detection.at_threshold of report.json: threshold, origin, true_positives, false_positives,
/// false_negatives, detection_rate, recall, precision, f1, false_positives_per_image, mean_iou.
Json at_threshold_to_json(const FixedThresholdResult& at, int faces);

}  // namespace fovea
