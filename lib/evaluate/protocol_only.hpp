#pragma once

#include <string>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// The numbers of a protocol that has numbers of its own, in the options' mode, and no others: of the evaluation are set name,
/// options, warnings, the numbers of images, faces and detections, and protocol_numbers.
/// \throws UsageError if the protocol has no numbers of its own; as evaluate_detection.
DetectionEvaluation evaluate_protocol_only(const Dataset& dataset, const DetectionResults& results,
                                           const DetectionEvaluationOptions& options,
                                           const std::string& name);

}  // namespace fovea
