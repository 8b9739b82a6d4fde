#include "lib/core/types.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {

const std::string* find_attribute(const std::vector<Attribute>& attributes, std::string_view name) {
    const auto found = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const Attribute& attribute) { return attribute.name == name; });
    return found == attributes.end() ? nullptr : &found->value;
}

bool is_finite(const Point& point) {
    return std::isfinite(point.x) && std::isfinite(point.y);
}

std::pair<double, double> distance_from_middle(const Point& centre, double area, const ImageSize& image) {
    const double x = centre.x - image.width / 2.0, y = centre.y - image.height / 2.0;
    return {x * x + y * y, -area};
}

Box bounding_box(const Ellipse& ellipse) {
    const double cosine = std::cos(ellipse.angle_rad);
    const double sine = std::sin(ellipse.angle_rad);
    const double half_width = std::hypot(ellipse.major_radius * cosine, ellipse.minor_radius * sine);
    const double half_height = std::hypot(ellipse.major_radius * sine, ellipse.minor_radius * cosine);
    return {ellipse.centre.x - half_width, ellipse.centre.y - half_height, 2 * half_width, 2 * half_height};
}

}  // namespace fovea
