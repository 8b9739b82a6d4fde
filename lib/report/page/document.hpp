#pragma once

#include <string>
#include <vector>

#include "lib/report/model/report_origin.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea::report {

/// A section of a page.
struct DocumentPart {
    std::string id;     ///< of its anchor; unique in the page
    std::string title;  ///< heading and navigation entry; plain text
    std::string html;   ///< a part without content is left out
};

/// A page of a report: one file without any reference to the outside, for light and dark, wide and narrow
/// screens.
struct Document {
    std::string title;     ///< plain text
    std::string lead;      ///< HTML: what was evaluated and what came out, in a paragraph
    std::string protocol;  ///< plain text: what counts, in a sentence or two; may be empty
    std::string headline;  ///< HTML above the first section; may be empty
    std::vector<DocumentPart> parts;
    std::string footer;                    ///< plain text: what other files hold
    std::string style;                     ///< further CSS rules; may be empty
    std::vector<RelatedReport> related{};  ///< linked to above the sections
};

/// The whole HTML document.
std::string document_page(const Document& document);

/// A plot as a figure with its title and caption.
std::string chart(const DrawnPlot& plot);
/// All plots, side by side where there is room.
std::string charts(const std::vector<DrawnPlot>& plots);

}  // namespace fovea::report
