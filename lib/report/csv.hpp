#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/detection.hpp"

namespace fovea::report {

/// A CSV field (RFC 4180): in quotes if it holds a comma, quote or line break.
std::string csv_field(const std::string& text);

/// Every ROC point of every detector in long form, one row a point, by falling threshold:
/// detector,threshold,true_positives,false_positives,detection_rate,precision,false_positives_per_image,mean_iou,
/// continuous_rate. Numbers are the shortest text that reads back to the same double.
std::string curves_csv(const std::vector<DetectionEvaluation>& evaluations,
                       const std::vector<std::string>& names);

/// Every number of every detector in long form: detector,metric,value,ci95_low,ci95_high,definition; the last three are
/// empty where there is none.
std::string numbers_csv(const std::vector<DetectionEvaluation>& evaluations,
                        const std::vector<std::string>& names);

}  // namespace fovea::report
