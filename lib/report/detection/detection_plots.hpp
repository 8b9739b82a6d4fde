#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/detection/detection.hpp"
#include "lib/report/model/plot.hpp"
#include "lib/report/plots/reference_curve.hpp"

namespace fovea::report {

/// Discrete and continuous ROC, precision-recall (under UIUC's protocols recall over 1 - precision, too), IoU
/// histogram, detection rate by faces in the image and by face width; all detectors in each. The last two are
/// left out where the evaluation has no slices.
///
/// The bands around the curves of up to three detectors are 95 % intervals, place by place.
///
/// \param names as from display_names(), parallel to the evaluations.
std::vector<Plot> detection_plots(const std::vector<DetectionEvaluation>& evaluations,
                                  const std::vector<std::string>& names,
                                  const std::vector<ReferenceCurve>& references = {});

/// Slices of the evaluation that hold faces.
std::vector<SliceRate> filled_slices(const std::vector<SliceRate>& slices);
/// The slice of `slices` with the same limits, or none.
const SliceRate* same_slice(const std::vector<SliceRate>& slices, const SliceRate& wanted);

}  // namespace fovea::report
