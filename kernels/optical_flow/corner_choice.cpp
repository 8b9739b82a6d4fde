#include "kernels/optical_flow/corner_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace fovea {
namespace {

// Keeps corners that are not too close to a better one. A cell of the grid is as wide as the distance.
class DistantCorners {
  public:
    DistantCorners(Size size, double distance)
        : cell_(static_cast<int>(std::nearbyint(std::min(distance, 1e6)))),
          columns_((size.width + cell_ - 1) / cell_),
          rows_((size.height + cell_ - 1) / cell_),
          squared_distance_(distance * distance),
          cells_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {}

    bool add(FlowPoint point) {
        const int column = static_cast<int>(point.x) / cell_, row = static_cast<int>(point.y) / cell_;
        for (int y = std::max(row - 1, 0); y <= std::min(row + 1, rows_ - 1); ++y) {
            for (int x = std::max(column - 1, 0); x <= std::min(column + 1, columns_ - 1); ++x) {
                for (const FlowPoint& other : cell(x, y)) {
                    const float dx = point.x - other.x, dy = point.y - other.y;
                    if (static_cast<double>(dx * dx + dy * dy) < squared_distance_) return false;
                }
            }
        }
        cell(column, row).push_back(point);
        return true;
    }

  private:
    std::vector<FlowPoint>& cell(int x, int y) {
        return cells_[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) +
                      static_cast<std::size_t>(x)];
    }

    int cell_, columns_, rows_;
    double squared_distance_;
    std::vector<std::vector<FlowPoint>> cells_;
};

}  // namespace

void check_corner_image(const ImageView<const std::uint8_t>& image) {
    if (image.empty()) throw std::invalid_argument("corners are sought in an image that is empty");
}

void check_corner_arguments(const ImageView<const std::uint8_t>& image, const GoodFeaturesOptions& options,
                            const ImageView<const std::uint8_t>& mask) {
    check_corner_image(image);
    if (!mask.empty() && (mask.width != image.width || mask.height != image.height)) {
        throw std::invalid_argument("the mask of the corners is not as large as the image");
    }
    // Written so that what is no number is refused.
    if (!(options.quality > 0) || !(options.min_distance >= 0) || options.max_corners < 0) {
        throw std::invalid_argument(
            "corners need a quality above 0, and a distance and a number of 0 or more");
    }
}

std::vector<FlowPoint> choose_corners(std::span<const FlowPoint> best_first, Size size,
                                      const GoodFeaturesOptions& options) {
    const auto most =
        options.max_corners > 0 ? static_cast<std::size_t>(options.max_corners) : best_first.size();
    if (options.min_distance < 1) {
        const auto kept = best_first.first(std::min(most, best_first.size()));
        return {kept.begin(), kept.end()};
    }
    std::vector<FlowPoint> points;
    DistantCorners distant(size, options.min_distance);
    for (const FlowPoint& point : best_first) {
        if (points.size() == most) break;
        if (distant.add(point)) points.push_back(point);
    }
    return points;
}

}  // namespace fovea
