#include "lib/report/model/plot.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/evaluate/statistics/normal_deviate.hpp"

namespace fovea::report {
namespace {

// An axis whose ends are those of the points where none are given.
Axis with_ends(Axis axis, const std::vector<PlotPoint>& points, double PlotPoint::*value) {
    double low = no_value, high = no_value;
    for (const PlotPoint& point : points) {
        const double at = point.*value;
        if (!std::isfinite(at) || (axis.scale == Scale::log && !(at > 0))) continue;
        low = std::isfinite(low) ? std::min(low, at) : at;
        high = std::isfinite(high) ? std::max(high, at) : at;
    }
    if (!axis.min) axis.min = std::isfinite(low) ? low : 1;
    if (!axis.max) axis.max = std::isfinite(high) ? std::max(high, *axis.min) : *axis.min;
    return axis;
}

// In units of which an axis' scale has equally many everywhere.
double place_on(const Axis& axis, double value) {
    const double within = std::clamp(value, axis.min.value(), axis.max.value());
    if (axis.scale == Scale::log) return std::log10(within);
    if (axis.scale == Scale::log1p) return std::log10(1 + within);
    return axis.scale == Scale::probit ? normal_deviate(within) : value;
}

double length_of(const Axis& axis) {
    return place_on(axis, axis.max.value()) - place_on(axis, axis.min.value());
}

}  // namespace

Axis share_axis(std::string label) {
    Axis axis{std::move(label)};
    axis.is_share = true;
    axis.min = 0;
    axis.max = 1;
    return axis;
}

Axis category_axis(std::string label, std::vector<AxisMark> marks) {
    Axis axis{std::move(label)};
    axis.min = -0.6;
    axis.max = static_cast<double>(marks.size()) - 0.4;
    axis.marks = std::move(marks);
    return axis;
}

Axis row_axis(std::string label, std::vector<AxisMark> marks) {
    Axis axis = category_axis(std::move(label), std::move(marks));
    axis.is_reversed = true;
    return axis;
}

PlotRect row_bar(double from, double to, double row, double half) {
    return {from, to, row - half, row + half};
}

Series rival_series(const std::vector<std::string>& names, std::size_t i, Mark mark) {
    Series series;
    series.name = names[i];
    series.mark = mark;
    series.style = series_styles(names)[i];
    return series;
}

std::vector<Series> curves_of(const std::vector<std::string>& names,
                              std::vector<std::vector<PlotPoint>> points, Mark mark) {
    std::vector<Series> curves;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (points[i].empty()) continue;
        curves.push_back(rival_series(names, i, mark));
        curves.back().points = std::move(points[i]);
    }
    return curves;
}

std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, double x_length, double y_length) {
    return thinned(points, Axis{.label = {}, .min = 0, .max = x_length},
                   Axis{.label = {}, .min = 0, .max = y_length});
}

std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, const Axis& given_x,
                               const Axis& given_y) {
    constexpr double steps = 1000;
    const Axis x = with_ends(given_x, points, &PlotPoint::x);
    const Axis y = with_ends(given_y, points, &PlotPoint::y);
    const double x_step = length_of(x) / steps;
    const double y_step = length_of(y) / steps;
    std::vector<PlotPoint> kept;
    double last_x = no_value, last_y = no_value;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double at_x = place_on(x, points[i].x);
        const double at_y = place_on(y, points[i].y);
        const bool is_end = i == 0 || i + 1 == points.size();
        const bool has_moved = !(std::abs(at_x - last_x) < x_step) || !(std::abs(at_y - last_y) < y_step);
        if (!is_end && !has_moved && !std::isfinite(points[i].low)) continue;
        kept.push_back(points[i]);
        last_x = at_x;
        last_y = at_y;
    }
    return kept;
}

}  // namespace fovea::report
