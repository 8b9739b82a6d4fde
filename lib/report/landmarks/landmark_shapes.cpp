#include <algorithm>
#include <cmath>

#include "lib/report/landmarks/landmark_content.hpp"
#include "lib/report/model/names.hpp"

namespace fovea::report {
namespace {

using PartErrors = std::vector<PartError> LandmarkEvaluation::*;

const std::string box_caption =
    "Box: quartiles, with the median as a line and the mean as a dot; whiskers reach to the last face within "
    "1.5 interquartile ranges, those beyond are not drawn. Over the faces found.";

/// The mean face with every point in the strength of its median error. \param largest the error of full
/// strength
Plot shape_plot(const LandmarkersCompared& of, std::size_t i, double largest) {
    const LandmarkEvaluation& e = of.evaluations[i];
    Plot plot{
        "mean_shape" + (of.is_single() ? "" : "_" + std::to_string(i + 1)),
        of.is_single() ? "Errors on the mean face" : shortened(of.names[i], 52) + ": errors on the mean face",
        "The mean of the true faces, in units of its radius. Every point has the strength of its median "
        "error over the faces found, from 0 (palest) to " +
            fixed(largest, 3) + " of the distance of the " + of.unit() +
            " (fullest), and its number, from 0, where there is room."};
    const Box box = tight_box(e.mean_shape);
    const double size = std::max(box.w, box.h);
    plot.is_square = true;
    plot.x = {.label = "", .min = box.x - 0.08 * size, .max = box.x + box.w + 0.08 * size};
    plot.y = {
        .label = "", .min = box.y - 0.08 * size, .max = box.y + box.h + 0.08 * size, .is_reversed = true};
    for (const LandmarkRegion& region : landmark_regions(e.mean_shape.size())) {
        Series outline{.mark = Mark::line, .tone = Tone::muted};
        for (std::size_t k = 0; k < region.count + (region.closed ? 1 : 0); ++k) {
            const Point& point = e.mean_shape[region.first + k % region.count];
            outline.points.push_back({point.x, point.y});
        }
        plot.series.push_back(std::move(outline));
    }
    Series points{.name = "Median error", .mark = Mark::rects, .style = {.colour = 1}};
    const auto [lowest, highest] =
        std::minmax_element(e.by_point.begin(), e.by_point.end(),
                            [](const PartError& a, const PartError& b) { return a.median < b.median; });
    points.detail = fixed(lowest->median, 3) + "–" + fixed(highest->median, 3);
    const double half = 0.014 * size;
    for (std::size_t k = 0; k < e.mean_shape.size(); ++k) {
        const double x = e.mean_shape[k].x, y = e.mean_shape[k].y;
        const double median = e.by_point[k].median;
        const double share = largest > 0 ? std::min(median / largest, 1.0) : 0;
        points.rects.push_back({x - half, x + half, y - half, y + half,
                                0.1 + 0.9 * std::round(20 * share) / 20,
                                e.by_point[k].title + ": " + fixed(median, 4)});
        const bool has_room =
            std::none_of(plot.labels.begin(), plot.labels.end(), [&](const PlotLabel& label) {
                return std::abs(label.x - x) < 0.1 * size && std::abs(label.y - y) < 0.06 * size;
            });
        if (has_room) plot.labels.push_back({x, y, std::to_string(k)});
    }
    plot.series.push_back(std::move(points));
    return plot;
}

Series box_series(Series series, const std::vector<PartError>& parts) {
    series.mark = Mark::boxes;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const PartError& part = parts[k];
        series.boxes.push_back({static_cast<double>(k), part.lower_whisker, part.lower_quartile, part.median,
                                part.upper_quartile, part.upper_whisker,
                                number_of_key(part.numbers, "mean").value.value_or(0)});
    }
    return series;
}

Series median_series(Series series, const std::vector<PartError>& parts) {
    series.mark = Mark::line_dots;
    for (std::size_t k = 0; k < parts.size(); ++k)
        series.points.push_back(
            {static_cast<double>(k), parts[k].median, no_value, no_value, parts[k].title});
    return series;
}

/// The series that `series_of` makes of the parts of each landmarker.
template <class SeriesOf>
void add_parts(Plot& plot, const LandmarkersCompared& of, PartErrors parts, SeriesOf series_of) {
    plot.y = {.label = "Distance / " + of.unit(), .min = 0};
    for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
        const std::vector<PartError>& shown = of.evaluations[i].*parts;
        if (!shown.empty()) plot.series.push_back(series_of(rival_series(of.names, i, Mark::boxes), shown));
    }
}

Plot region_plot(const LandmarkersCompared& of) {
    Plot plot{"regions", "Errors by region", box_caption};
    std::vector<AxisMark> marks;
    for (const LandmarkRegion& region : landmark_regions(of.evaluations[0].points)) {
        const std::size_t space = std::min(region.title.find(' '), region.title.size() - 1);
        const bool has_space = region.title[space] == ' ';
        marks.push_back({static_cast<double>(marks.size()),
                         has_space ? region.title.substr(0, space) : region.title,
                         has_space ? region.title.substr(space + 1) : ""});
    }
    plot.x = category_axis("", std::move(marks));
    add_parts(plot, of, &LandmarkEvaluation::by_region, box_series);
    return plot;
}

Plot point_plot(const LandmarkersCompared& of) {
    Plot plot{"points", "Errors by point", of.is_single() ? box_caption : "Medians over the faces found."};
    plot.is_wide = true;
    plot.x = {
        .label = "Point, from 0", .min = -0.7, .max = static_cast<double>(of.evaluations[0].points) - 0.3};
    for (const LandmarkRegion& region : landmark_regions(of.evaluations[0].points)) {
        const auto first = static_cast<double>(region.first);
        plot.x.marks.push_back({first, std::to_string(region.first), region.title});
        if (region.first > 0) plot.lines.push_back({.x = first - 0.5});
    }
    add_parts(plot, of, &LandmarkEvaluation::by_point, of.is_single() ? box_series : median_series);
    return plot;
}

}  // namespace

std::vector<Plot> part_plots(const LandmarkersCompared& of) {
    std::vector<Plot> plots;
    // One scale of strengths for all.
    double largest = 0;
    for (const LandmarkEvaluation& e : of.evaluations) {
        for (const PartError& part : e.by_point) largest = std::max(largest, part.median);
    }
    for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
        const LandmarkEvaluation& e = of.evaluations[i];
        if (!e.mean_shape.empty() && !e.by_point.empty()) plots.push_back(shape_plot(of, i, largest));
    }
    for (Plot& plot : std::vector<Plot>{region_plot(of), point_plot(of)}) {
        if (!plot.series.empty()) plots.push_back(std::move(plot));
    }
    return plots;
}

}  // namespace fovea::report
