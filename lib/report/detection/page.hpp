#pragma once

#include <string>
#include <vector>

#include "lib/report/page/document.hpp"
#include "lib/report/page/exhibits.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/report_section.hpp"
#include "lib/report/page/thumbnails.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea::report {

/// The pictures of one detector; thumbnails are parallel to exhibits.
struct Thumbnails {
    std::vector<Exhibit> misses;
    std::vector<Thumbnail> miss_thumbnails;
    std::vector<Exhibit> false_alarms;
    std::vector<Thumbnail> false_alarm_thumbnails;
};

/// All that the page shows.
struct PageContent {
    const Dataset& dataset;
    const std::vector<DetectionEvaluation>& evaluations;
    std::vector<std::string> names;  ///< parallel to evaluations
    const ReportContext& context;
    std::vector<DrawnPlot> plots;
    std::vector<Thumbnails> worst_cases;  ///< parallel to evaluations
    std::string missing_pictures;         ///< see missing_pictures()
    std::vector<DocumentPart> analysis;   ///< see analysis_parts()
};

/// Its part of report.html.
SectionPage detection_page(const PageContent& content);

// Its parts, each a piece of HTML.

/// One paragraph: what was evaluated on what, and what came out.
std::string summary_text(const PageContent& content);
/// Tiles of a single detector, or the comparison of several.
std::string headline_numbers(const PageContent& content);
/// The protocol's own numbers in both modes; empty for protocols without.
std::string protocol_section(const PageContent& content);
/// Thresholds of interest and what the first detector does there; empty for several detectors.
std::string operating_points(const PageContent& content);
/// Detection rate by faces in the image and by face width; empty without slices.
std::string slice_tables(const PageContent& content);
/// Thumbnails of misses and false alarms.
std::string pictures_section(const PageContent& content);
/// How many images could not be read or have no result; empty if there are none.
std::string without_result(const PageContent& content);
/// The meaning of the numbers.
std::string detection_definitions();

/// The meaning of the boxes in thumbnails.
std::string picture_legend();

/// The name with its colour in front, as HTML.
std::string legend_name(const PageContent& content, std::size_t detector);

}  // namespace fovea::report
