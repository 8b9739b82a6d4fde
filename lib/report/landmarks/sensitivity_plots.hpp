#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea::report {

/// Mean (with its interval) and median NME by shift, and by scale, of the boxes: two plots on one scale of
/// errors, of all landmarkers that this was measured of; none if it was of none. \param names parallel to the
/// evaluations.
/// \throws Error as run_gnuplot().
std::vector<DrawnPlot> sensitivity_plots(const std::vector<LandmarkEvaluation>& evaluations,
                                         const std::vector<std::string>& names);

}  // namespace fovea::report
