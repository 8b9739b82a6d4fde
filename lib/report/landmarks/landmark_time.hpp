#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/report/landmarks/landmark_page.hpp"
#include "lib/report/page/markdown.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea::report {

/// The plots of landmarks over time: errors by frames since the last detection, cumulative errors by
/// category, and the errors of the worst videos over time; none without videos. \param names parallel to the
/// evaluations. \throws Error as run_gnuplot().
std::vector<DrawnPlot> landmark_time_plots(const std::vector<LandmarkEvaluation>& evaluations,
                                           const std::vector<std::string>& names);

/// HTML: plots, and tables by category and video; empty without videos.
std::string landmark_time_section(const LandmarkPage& page);

/// Jitter, true motion and drift as Markdown; empty without videos.
std::string landmark_time_markdown(const LandmarkPage& page);

}  // namespace fovea::report
