#pragma once

#include <cstddef>
#include <string>

#include "lib/core/json.hpp"
#include "lib/evaluate/detection.hpp"

namespace fovea {

/// The `detection` object of report.json: every number of the evaluation but the outcomes of single images.
///
/// Rates are in [0, 1] and finite; what is undefined (a threshold that does not exist, an interval that was
/// not computed) is left out. The curve is given by falling threshold and thinned by thin_roc to
/// `most_roc_points` ("roc_thresholds" is the number of points before); all other numbers come from the whole curve.
Json detection_evaluation_to_json(const DetectionEvaluation& evaluation, std::size_t most_roc_points = 5000);

/// The protocol in one sentence for people: the rule with its numbers, the matching, the treatment of ignored
/// faces.
std::string protocol_description(const DetectionEvaluationOptions& options);

/// The rule's one name, in configurations, flags and report.json: "iou" or "mit-cmu".
std::string protocol_name(DetectionProtocol rule);

}  // namespace fovea
