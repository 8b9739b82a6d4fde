#include "tests/lab/tracks/photo_levels.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {
GreyImage halved_photo(const GreyImage& photo) {
    GreyImage half{photo.width / 2, photo.height / 2, {}};
    half.pixels.reserve(static_cast<std::size_t>(half.width) * static_cast<std::size_t>(half.height));
    const ImageView<const std::uint8_t> view = photo.view();
    for (int y = 0; y < half.height; ++y) {
        for (int x = 0; x < half.width; ++x) {
            const int sum = view(2 * x, 2 * y) + view(2 * x + 1, 2 * y) + view(2 * x, 2 * y + 1) +
                            view(2 * x + 1, 2 * y + 1);
            half.pixels.push_back(static_cast<std::uint8_t>((sum + 2) / 4));
        }
    }
    return half;
}

PhotoLevels::PhotoLevels(GreyImage photo) {
    levels_.push_back(std::move(photo));
    while (levels_.back().width >= 4 && levels_.back().height >= 4)
        levels_.push_back(halved_photo(levels_.back()));
}

int PhotoLevels::level_for(double scale) const {
    int level = 0;
    while (level + 1 < static_cast<int>(levels_.size()) && scale <= 0.5) {
        scale *= 2;
        ++level;
    }
    return level;
}

double PhotoLevels::value(int level, const Point& place) const {
    const ImageView<const std::uint8_t> view = levels_[static_cast<std::size_t>(level)].view();
    const double size = static_cast<double>(1 << level);
    const double x = std::clamp((place.x + 0.5) / size - 0.5, 0.0, static_cast<double>(view.width - 1));
    const double y = std::clamp((place.y + 0.5) / size - 0.5, 0.0, static_cast<double>(view.height - 1));
    const int left = static_cast<int>(x), top = static_cast<int>(y);
    const int right = std::min(left + 1, view.width - 1), bottom = std::min(top + 1, view.height - 1);
    const double a = x - left, b = y - top;
    const double upper = view(left, top) + a * (view(right, top) - view(left, top));
    const double lower = view(left, bottom) + a * (view(right, bottom) - view(left, bottom));
    return upper + b * (lower - upper);
}

}  // namespace fovea
