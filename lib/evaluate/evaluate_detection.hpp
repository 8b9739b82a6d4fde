#pragma once

#include <string>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// Evaluates results against a dataset's ground truth.
///
/// Detections and faces are matched one to one and optimally (Hungarian): most pairs under the protocol's
/// rule, and among these the largest summed IoU. Matching is solved anew for every distinct score of an
/// image, so that each point of the ROC equals, to the last bit, an evaluation of only these detections. A
/// detection that is left without a face and meets the rule for an ignored face is neither a true nor a
/// false positive.
///
/// Results are paired with images by name (pair_images). In images that are unreadable or that the results
/// lack, all faces are missed; results in a format without a record of images without detections lack none.
/// Boxes without area hit nothing; of equal detections all but one are false positives. The numbers do not
/// depend on the order of detections in the results. A rate without a denominator (no faces, no detections)
/// is 0. Costs O(detections x faces) per image and a search per detection (hungarian.hpp).
///
/// \param progress is told roughly how much is done: the resamples take most of the time.
/// \throws Error if the dataset holds no annotated image, results and dataset have no image in common, an
/// image stands twice, or a box or score is not finite; UsageError for options out of range.
DetectionEvaluation evaluate_detection(const Dataset& dataset, DetectionResults results,
                                       const DetectionEvaluationOptions& options, const std::string& name,
                                       const ShareProgress& progress = {});

/// Computes only the protocol's own numbers, in the options' mode. The result has name, options, warnings,
/// the numbers of images, faces and detections, and protocol_numbers; nothing else is set.
/// \throws UsageError if the protocol has no numbers of its own; as evaluate_detection.
DetectionEvaluation evaluate_protocol_only(const Dataset& dataset, const DetectionResults& results,
                                           const DetectionEvaluationOptions& options,
                                           const std::string& name);

}  // namespace fovea
