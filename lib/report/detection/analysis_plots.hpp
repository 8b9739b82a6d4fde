#pragma once

#include <vector>

#include "lib/evaluate/analysis/detection_analysis.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea::report {

/// Plots of one detector: what each kind of error costs ("error_delta_ap"), how far its scores can be trusted
/// ("reliability"), and how many faces are met how well ("iou_cumulative"). Plots without data are left out.
/// \throws Error as run_gnuplot().
std::vector<Plot> analysis_plots(const DetectionAnalysis& analysis);

}  // namespace fovea::report
