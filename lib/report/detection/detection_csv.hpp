#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/detection/detection.hpp"

namespace fovea::report {

/// Every ROC point of every detector in long form, one row a point, by falling threshold:
/// detector,threshold,true_positives,false_positives,detection_rate,precision,false_positives_per_image,mean_iou,
/// continuous_rate. Numbers are the shortest text that reads back to the same double.
std::string curves_csv(const std::vector<DetectionEvaluation>& evaluations,
                       const std::vector<std::string>& names);

}  // namespace fovea::report
