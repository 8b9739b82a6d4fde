#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/analysis/detection_analysis.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea::report {

/// Plots of one detector: what each kind of error costs ("error_delta_ap"), how far its scores can be trusted
/// ("reliability"), and how many faces are met how well ("iou_cumulative"). Plots without data are left out.
/// \throws Error as run_gnuplot().
std::vector<DrawnPlot> analysis_plots(const DetectionAnalysis& analysis);

/// The same plots of several detectors: the first two for each, in its colour (see analysis_stem()), the last
/// of all together. \param names parallel to the analyses.
std::vector<DrawnPlot> analysis_plots(const std::vector<DetectionAnalysis>& analyses,
                                      const std::vector<std::string>& names);

/// The file name of the i-th detector's plot: "reliability" of the first, "reliability_2" of the second.
std::string analysis_stem(const std::string& stem, std::size_t detector);

}  // namespace fovea::report
