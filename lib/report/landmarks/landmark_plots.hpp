#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea::report {

/// The plots of a landmarkers' report, all landmarkers in each, in the colours of series_colour().
struct LandmarkPlots {
    std::vector<DrawnPlot>
        curves;  ///< the CED under each normaliser, with its interval where there are few landmarkers
    std::vector<DrawnPlot> regions;  ///< box and whiskers by region; none without regions
    std::vector<DrawnPlot>
        points;  ///< wide: box and whiskers by point; medians by point of several landmarkers
    std::vector<DrawnPlot> shapes;  ///< of every landmarker, as landmark_shape_plot()
    std::vector<DrawnPlot>
        sensitivity;  ///< by shift and by scale of the boxes, of the landmarkers with such a study
    std::vector<DrawnPlot> over_time;  ///< as landmark_time_plots()

    std::vector<DrawnPlot> all() const;
};

/// \param names parallel to the evaluations, which are of one dataset. \throws Error as run_gnuplot().
LandmarkPlots landmark_plots(const std::vector<LandmarkEvaluation>& evaluations,
                             const std::vector<std::string>& names);

/// The mean shape of the faces with every point in the colour of its median error, numbered from 0, and a
/// scale; no picture (empty SVG) without a shape or if no face was found.
/// \param largest the error at the end of the scale, in units of the normaliser.
DrawnPlot landmark_shape_plot(const LandmarkEvaluation& evaluation, const std::string& stem,
                              const std::string& title, double largest);

}  // namespace fovea::report
