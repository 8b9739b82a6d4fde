#pragma once

#include <string>
#include <vector>

#include "lib/report/landmarks/landmark_plots.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/report_section.hpp"
#include "lib/report/page/thumbnails.hpp"

namespace fovea::report {

/// The pictures of one landmarker; thumbnails are parallel to exhibits.
struct LandmarkExhibits {
    struct Part {
        std::vector<Exhibit> exhibits;
        std::vector<Thumbnail> thumbnails;
    };
    Part missed;
    Part worst;
    Part median;
    Part best;
};

/// All that the page of a landmarkers' report shows.
struct LandmarkPage {
    const Dataset& dataset;
    const std::vector<LandmarkEvaluation>& evaluations;
    std::vector<std::string> names;  ///< parallel to evaluations
    const ReportContext& context;
    std::string file_prefix;  ///< of the files of numbers beside the page
    LandmarkPlots plots;
    std::vector<LandmarkExhibits> exhibits_of_each;  ///< parallel to evaluations
    std::string missing_pictures;                    ///< see missing_pictures()

    /// True if the evaluations are of one landmark model in several kinds of boxes, as those of a run.
    bool of_one_landmarker() const { return !context.landmarks_origin.empty(); }
};

/// Its part of report.html.
SectionPage landmark_page(const LandmarkPage& page);

// Its parts, each a piece of HTML.

std::string landmark_headline(
    const LandmarkPage& page);  ///< tiles of one landmarker, a comparison of several
std::string landmark_normalisers(const LandmarkPage& page);  ///< every number under every normaliser
std::string landmark_parts(const LandmarkPage& page);        ///< tables by region and by point
std::string landmark_slices_section(const LandmarkPage& page);
/// The cost of a box that is off: plot, sentence and table; empty where that was not measured.
std::string landmark_sensitivity_section(const LandmarkPage& page);

}  // namespace fovea::report
