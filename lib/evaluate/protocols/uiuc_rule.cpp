#include "lib/evaluate/protocols/uiuc_rule.hpp"

#include <cmath>
#include <limits>

#include "lib/core/box_index.hpp"

namespace fovea {
namespace {

constexpr double axis_share = 0.25;
constexpr double uiuc_aspect = 0.4;  // height over width

double to_whole(double pixels) {
    return std::floor(pixels + 0.5);
}

double squared_share(double difference, double half_axis) {
    return (difference * difference) / (half_axis * half_axis);
}

}  // namespace

double UiucRule::width_of(const Box& window) const {
    return mode_ == ProtocolMode::strict ? to_whole(window.w) : window.w;
}

Point UiucRule::place(const Box& window) const {
    if (mode_ != ProtocolMode::strict) return is_multi_scale_ ? window.centre() : Point{window.x, window.y};
    Point corner{to_whole(window.x), to_whole(window.y)};
    if (!is_multi_scale_) return corner;
    const double width = width_of(window);
    return {corner.x + std::trunc(width / 2), corner.y + std::trunc(uiuc_aspect * width / 2)};
}

UiucRule::Axes UiucRule::half_axes(const Box& car) const {
    const double width = width_of(car);
    const bool has_fixed_aspect = is_multi_scale_ && mode_ == ProtocolMode::strict;
    return {axis_share * (has_fixed_aspect ? uiuc_aspect * width : car.h), axis_share * width};
}

double UiucRule::distance(const Box& car, const Box& found) const {
    if (car.area() <= 0 || found.area() <= 0) return std::numeric_limits<double>::infinity();
    const Point true_place = place(car);
    const Point found_place = place(found);
    const Axes axes = half_axes(car);
    const double sum = squared_share(found_place.y - true_place.y, axes.height) +
                       squared_share(found_place.x - true_place.x, axes.width);
    return is_multi_scale_ ? sum + squared_share(width_of(found) - width_of(car), axes.width) : sum;
}

Box UiucRule::reach(const Box& car) const {
    const Point centre = place(car);
    const Axes axes = half_axes(car);
    return grown({centre.x - axes.width, centre.y - axes.height, 2 * axes.width, 2 * axes.height}, 1);
}

}  // namespace fovea
