#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/detection/detection.hpp"
#include "lib/report/model/plot.hpp"
#include "lib/report/plots/reference_curve.hpp"

namespace fovea::report {

/// Names for legends: unique_names() of the detectors.
std::vector<std::string> display_names(const std::vector<DetectionEvaluation>& evaluations);

/// Discrete and continuous ROC, precision-recall (under UIUC's protocols recall over 1 - precision, too) and
/// IoU histogram; all detectors in each.
///
/// The bands around the curves of up to three detectors are 95 % intervals, place by place.
///
/// \param names as from display_names(), parallel to the evaluations.
std::vector<Plot> detection_plots(const std::vector<DetectionEvaluation>& evaluations,
                                  const std::vector<std::string>& names,
                                  const std::vector<ReferenceCurve>& references = {});

/// Whether bands, bars and outlines of so many detectors do not hide one another.
bool are_few(std::size_t detectors);

}  // namespace fovea::report
