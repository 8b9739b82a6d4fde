#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/report_part.hpp"

namespace fovea::report {

constexpr Decimals landmark_decimals{1, 4};

/// Landmarkers that were evaluated on the same faces.
struct LandmarkersCompared {
    const Dataset& dataset;
    const std::vector<LandmarkEvaluation>& evaluations;
    /// Parallel to evaluations.
    std::vector<std::string> names;
    const ReportContext& context;
    /// Prefix of the files of numbers beside the page.
    std::string file_prefix;

    bool is_single() const { return evaluations.size() == 1; }
    /// True if the evaluations are of one landmark model in several kinds of boxes, as in the report of
    /// a run.
    bool is_of_one_model() const { return !context.landmarks_origin.empty(); }
    /// "name: " in front of a title of one of several landmarkers; empty for a single one.
    std::string prefix_of(std::size_t i) const { return is_single() ? "" : names[i] + ": "; }
    /// The length that divides the errors of parts, slices and videos: "outer eye corners".
    std::string unit() const { return normaliser_title(evaluations[0].normalisers[evaluations[0].primary]); }
};

/// The content of a report on landmarkers. Cuts pictures and warns where some are missing.
PartContent landmark_content(const LandmarkersCompared& landmarkers);

// Tables and pictures of the report.

/// Every number under every normaliser.
Section normalisers_section(const LandmarkersCompared& landmarkers);
/// Errors by region and by point; empty if no face was found.
Section parts_section(const LandmarkersCompared& landmarkers);
/// Errors over time; empty without videos.
Section landmark_time_section(const LandmarkersCompared& landmarkers);
Section landmark_slices_section(const LandmarkersCompared& landmarkers);
/// Faces missed, and the worst, median and best faces found. \param missing receives missing_pictures().
Section landmark_pictures_section(const LandmarkersCompared& landmarkers, std::string& missing);

// Plots of the report.

/// The CED under each normaliser, with its interval where there are few landmarkers.
std::vector<Plot> ced_plots(const LandmarkersCompared& landmarkers);
/// The mean shape of each landmarker with its errors by point, and the errors by region and by point; none if
/// no face was found.
std::vector<Plot> part_plots(const LandmarkersCompared& landmarkers);
/// Errors by frames since the last detection, cumulative errors by category, and the errors of the worst
/// videos over time; none without videos.
std::vector<Plot> landmark_time_plots(const LandmarkersCompared& landmarkers);

}  // namespace fovea::report
