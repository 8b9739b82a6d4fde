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

Series rival_series(const std::vector<std::string>& names, std::size_t i, Mark mark) {
    Series series;
    series.name = names[i];
    series.mark = mark;
    series.style = series_styles(names)[i];
    return series;
}

std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, double x_length, double y_length) {
    constexpr double steps = 1000;
    std::vector<PlotPoint> kept;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const PlotPoint& point = points[i];
        const bool is_end = i == 0 || i + 1 == points.size();
        const bool has_moved = kept.empty() || !(std::abs(point.x - kept.back().x) < x_length / steps) ||
                               !(std::abs(point.y - kept.back().y) < y_length / steps);
        if (is_end || has_moved || std::isfinite(point.low)) kept.push_back(point);
    }
    return kept;
}

}  // namespace fovea::report
