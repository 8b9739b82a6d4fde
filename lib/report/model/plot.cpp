#include "lib/report/model/plot.hpp"

#include <cmath>
#include <utility>

namespace fovea::report {

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

std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, double x_length, double y_length,
                               Scale x_scale) {
    constexpr double steps = 1000;
    const auto place = [&](double x) {
        return x_scale == Scale::log ? std::log10(x) : x_scale == Scale::log1p ? std::log10(1 + x) : x;
    };
    std::vector<PlotPoint> kept;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const PlotPoint& point = points[i];
        const bool is_end = i == 0 || i + 1 == points.size();
        const bool has_moved = kept.empty() ||
                               !(std::abs(place(point.x) - place(kept.back().x)) < x_length / steps) ||
                               !(std::abs(point.y - kept.back().y) < y_length / steps);
        if (is_end || has_moved || std::isfinite(point.low)) kept.push_back(point);
    }
    return kept;
}

}  // namespace fovea::report
