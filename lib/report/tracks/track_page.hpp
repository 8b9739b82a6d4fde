#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/tracks/track_json.hpp"
#include "lib/evaluate/tracks/tracks.hpp"
#include "lib/report/page/markdown.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/report_section.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea::report {

struct TrackPlots {
    std::vector<DrawnPlot> thresholds;  ///< HOTA, DetA, AssA and LocA by IoU threshold
    std::vector<DrawnPlot> videos;      ///< HOTA by video; none where there is one
    std::vector<DrawnPlot> timelines;   ///< the videos with the most switches

    std::vector<DrawnPlot> all() const;
};

/// All that the page of a trackers' report shows.
struct TrackPage {
    const Dataset& dataset;
    const std::vector<TrackEvaluation>& evaluations;
    std::vector<std::string> names;  ///< parallel to evaluations
    const ReportContext& context;
    std::vector<TrackComparison> comparisons;
    TrackPlots plots;
};

/// \throws Error as run_gnuplot().
TrackPlots track_plots(const std::vector<TrackEvaluation>& evaluations,
                       const std::vector<std::string>& names);

/// Its part of report.html.
SectionPage track_page(const TrackPage& page);

/// Its part of report.md.
MarkdownPage track_markdown(const TrackPage& page);

/// Indices of the videos of which timelines are shown: those with the most switches, at most three.
std::vector<std::size_t> videos_of_timelines(const TrackEvaluation& evaluation);

}  // namespace fovea::report
