#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/report/model/report_origin.hpp"
#include "lib/report/page/exhibits.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/thumbnails.hpp"

// Pieces of HTML that the pages of all evaluations share.
namespace fovea::report {

/// A number that stands out. \param detail plain text; a line break is kept.
std::string tile(const std::string& label, const std::string& value, const std::string& detail);

/// The i-th name, with its colour in front where there are several.
std::string series_name(const std::vector<std::string>& names, std::size_t i);
/// Colours and dashes of several detectors or landmarkers, for all plots; empty for one.
std::string plot_legend(const std::vector<std::string>& names);

/// A figure of a gallery, which fills the window while its id is the page's target: a click on the picture
/// enlarges it, without a script.
struct PictureFigure {
    std::string id;        ///< unique in the page
    std::string previous;  ///< id of the figure before; empty = it is the first
    std::string next;      ///< id of the figure behind; empty = it is the last
    std::string picture;   ///< HTML
    std::string caption;   ///< HTML
};
std::string picture_figure(const PictureFigure& figure);

/// Thumbnails with their captions. Where not one picture could be read, a list of them and the reason.
/// \param what is shown, for those who do not see it: "Missed face".
/// \param id of the grid, unique in the page; the pictures' ids begin with it.
std::string picture_grid(const Dataset& dataset, const std::vector<Exhibit>& exhibits,
                         const std::vector<Thumbnail>& thumbnails, const std::string& what,
                         const std::string& id);
/// "24 of 131, largest first." or "All 7, largest first."
std::string how_many(std::size_t shown, long long all, const std::string& order);

/// A term of a list of definitions (<dl>) and what it means.
std::string definition(const std::string& term, const std::string& text);
/// The definitions of when, where and by what a report was made.
std::string origin_list(const ReportOrigin& origin);
/// Folded if they are many; empty without sentences.
std::string warning_list(const std::vector<std::string>& sentences);
/// Images without a result and why. \param detectors how many are compared.
std::string skipped_table(const std::vector<SkippedImage>& skipped, std::size_t detectors);

}  // namespace fovea::report
