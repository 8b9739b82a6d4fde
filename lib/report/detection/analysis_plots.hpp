#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/analysis/detection_analysis.hpp"
#include "lib/report/model/plot.hpp"

namespace fovea::report {

// Plots of detectors' analyses. Plots without data are left out. \param names parallel to the analyses.

/// The cost of each kind of error of a detector: "error_delta_ap", or "error_delta_ap_2" for the
/// second detector.
std::vector<Plot> error_cost_plots(const std::vector<DetectionAnalysis>& analyses,
                                   const std::vector<std::string>& names, std::size_t detector);

/// How far a detector's scores can be trusted: "reliability", or "reliability_2" for the second detector.
std::vector<Plot> reliability_plots(const std::vector<DetectionAnalysis>& analyses,
                                    const std::vector<std::string>& names, std::size_t detector);

/// How many faces are met how well, by all detectors: "iou_cumulative".
std::vector<Plot> fit_plots(const std::vector<DetectionAnalysis>& analyses,
                            const std::vector<std::string>& names);

}  // namespace fovea::report
