#include "lib/train/samples/sample_warp.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace fovea {
namespace {

using Matrix = std::array<double, 9>;

constexpr double distance_over_side = 4;

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix result{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            result[3 * row + column] =
                a[3 * row] * b[column] + a[3 * row + 1] * b[3 + column] + a[3 * row + 2] * b[6 + column];
        }
    }
    return result;
}

// Up to a factor, which a projection does not see.
Matrix inverse(const Matrix& m) {
    return {m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
            m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
            m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
}

struct Turn {
    double sine = 0, cosine = 1;
};

// Quarter turns are exact.
Turn turn_of(double angle_deg) {
    if (angle_deg == 0) return {0, 1};
    if (angle_deg == 90) return {1, 0};
    if (angle_deg == -90) return {-1, 0};
    if (angle_deg == 180 || angle_deg == -180) return {0, -1};
    const double angle = angle_deg * std::numbers::pi / 180;
    return {std::sin(angle), std::cos(angle)};
}

Matrix rotation(const SamplePose& pose) {
    const Turn x = turn_of(pose.angle_x_deg), y = turn_of(pose.angle_y_deg), z = turn_of(pose.angle_z_deg);
    const Matrix about_x{1, 0, 0, 0, x.cosine, -x.sine, 0, x.sine, x.cosine};
    const Matrix about_y{y.cosine, 0, y.sine, 0, 1, 0, -y.sine, 0, y.cosine};
    const Matrix about_z{z.cosine, -z.sine, 0, z.sine, z.cosine, 0, 0, 0, 1};
    return product(about_z, product(about_y, about_x));
}

/// Part of an image, reduced: the levels of what is object, and how much is.
struct ObjectRaster {
    int x = 0, y = 0;  ///< of its first pixel in the image
    int factor = 1;    ///< pixels of the image in one of these, along a side
    int width = 0, height = 0;
    std::vector<double> levels, cover;

    std::size_t at(int column, int row) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
               static_cast<std::size_t>(column);
    }
};

bool is_object(int level, const Transparency& transparency) {
    return !transparency.background_colour ||
           std::abs(level - *transparency.background_colour) > transparency.threshold;
}

void fill(ObjectRaster& raster, ImageView<const std::uint8_t> image, const Transparency& transparency) {
    raster.levels.resize(raster.at(0, raster.height));
    raster.cover.resize(raster.levels.size());
    const double pixels = static_cast<double>(raster.factor) * raster.factor;
    for (int row = 0; row < raster.height; ++row) {
        for (int column = 0; column < raster.width; ++column) {
            std::int64_t sum = 0, count = 0;
            for (int v = 0; v < raster.factor; ++v) {
                const std::uint8_t* const from =
                    image.row(raster.y + row * raster.factor + v) + raster.x + column * raster.factor;
                for (int u = 0; u < raster.factor; ++u) {
                    const bool is_of_object = is_object(from[u], transparency);
                    sum += is_of_object ? from[u] : 0;
                    count += is_of_object ? 1 : 0;
                }
            }
            raster.levels[raster.at(column, row)] = static_cast<double>(sum) / pixels;
            raster.cover[raster.at(column, row)] = static_cast<double>(count) / pixels;
        }
    }
}

/// The part of a row or column that can be seen, in whole steps.
struct RasterSpan {
    int first = 0;
    int count = 1;
};

RasterSpan span_of(double from, double to, int extent, int factor) {
    const double most = extent - factor;
    const auto first = static_cast<int>(std::clamp(std::floor(from) - factor, 0.0, most));
    const double end = std::clamp(std::ceil(to) + factor, 0.0, static_cast<double>(extent));
    return {first, std::max(static_cast<int>(end - first) / factor, 1)};
}

ObjectRaster raster_of(ImageView<const std::uint8_t> image, const SampleProjection& projection, Size window,
                       const Transparency& transparency) {
    const double right = window.width, bottom = window.height;
    const std::array<Point, 4> corners{projection.image_place(0, 0), projection.image_place(right, 0),
                                       projection.image_place(0, bottom),
                                       projection.image_place(right, bottom)};
    const auto across = [](const Point& a, const Point& b) { return a.x < b.x; };
    const auto down = [](const Point& a, const Point& b) { return a.y < b.y; };
    const auto [left_most, right_most] = std::minmax_element(corners.begin(), corners.end(), across);
    const auto [top_most, bottom_most] = std::minmax_element(corners.begin(), corners.end(), down);
    constexpr double max_reduction = 1 << 20;
    const double per_pixel = std::min(projection.pixels_per_pixel(), max_reduction);
    // Between two and three pixels are left for each of the window.
    ObjectRaster raster;
    raster.factor = per_pixel > 4 ? static_cast<int>(per_pixel / 2) : 1;
    raster.factor = std::min({raster.factor, image.width, image.height});
    const RasterSpan columns = span_of(left_most->x, right_most->x, image.width, raster.factor);
    const RasterSpan rows = span_of(top_most->y, bottom_most->y, image.height, raster.factor);
    raster.x = columns.first;
    raster.y = rows.first;
    raster.width = columns.count;
    raster.height = rows.count;
    fill(raster, image, transparency);
    return raster;
}

struct SeenPoint {
    double level = 0;
    double cover = 0;
};

SeenPoint bilinear(const ObjectRaster& raster, const Point& place) {
    const double x = std::clamp((place.x - raster.x) / raster.factor - 0.5, 0.0, raster.width - 1.0);
    const double y = std::clamp((place.y - raster.y) / raster.factor - 0.5, 0.0, raster.height - 1.0);
    const int left = static_cast<int>(x), top = static_cast<int>(y);
    const int right = std::min(left + 1, raster.width - 1), bottom = std::min(top + 1, raster.height - 1);
    const double u = x - left, v = y - top;
    const auto between = [&](const std::vector<double>& values) {
        return (values[raster.at(left, top)] * (1 - u) + values[raster.at(right, top)] * u) * (1 - v) +
               (values[raster.at(left, bottom)] * (1 - u) + values[raster.at(right, bottom)] * u) * v;
    };
    return {between(raster.levels), between(raster.cover)};
}

}  // namespace

SampleProjection::SampleProjection(const Box& box, Size window, const SamplePose& pose)
    : box_(box),
      window_(window),
      pose_(pose),
      viewer_(distance_over_side * std::max(window.width, window.height)),
      pixels_per_pixel_(std::max(box.w / window.width, box.h / window.height) / pose.scale) {
    // A point (a, b, 0) of the object is turned to (x, y, z) and seen at (x, y) · viewer / (viewer + z).
    const Matrix turned = rotation(pose);
    to_object_ = inverse({viewer_ * turned[0], viewer_ * turned[1], 0,  //
                          viewer_ * turned[3], viewer_ * turned[4], 0,  //
                          turned[6], turned[7], viewer_});
}

Point SampleProjection::image_place(double x, double y) const {
    const double u = (x - window_.width / 2.0 - pose_.shift_x * window_.width) / pose_.scale;
    const double v = (y - window_.height / 2.0 - pose_.shift_y * window_.height) / pose_.scale;
    const Matrix& m = to_object_;
    // In front of the viewer this has the sign of the last element; at the horizon it is 0.
    const double nearest = std::abs(m[8]) * 1e-6;
    const double depth = std::max(std::copysign(1.0, m[8]) * (m[6] * u + m[7] * v + m[8]), nearest);
    const double factor = std::copysign(1.0, m[8]) / depth;
    const auto limited = [](double place) { return std::clamp(place, -1e8, 1e8); };
    return {limited(box_.x + box_.w / 2 + (m[0] * u + m[1] * v + m[2]) * factor * box_.w / window_.width),
            limited(box_.y + box_.h / 2 + (m[3] * u + m[4] * v + m[5]) * factor * box_.h / window_.height)};
}

SeenObject seen_object(ImageView<const std::uint8_t> image, const SampleProjection& projection, Size window,
                       const Transparency& transparency) {
    const ObjectRaster raster = raster_of(image, projection, window, transparency);
    const double per_pixel = projection.pixels_per_pixel() / raster.factor;
    constexpr double max_samples = 8;
    const auto n = static_cast<int>(std::clamp(std::ceil(per_pixel), 1.0, max_samples));
    SeenObject seen;
    for (int y = 0; y < window.height; ++y) {
        for (int x = 0; x < window.width; ++x) {
            SeenPoint sum;
            for (int k = 0; k < n * n; ++k) {
                const Point place = projection.image_place(x + (k % n + 0.5) / n, y + (k / n + 0.5) / n);
                if (transparency.beyond_image &&
                    !(place.x >= 0 && place.x < image.width && place.y >= 0 && place.y < image.height)) {
                    continue;
                }
                const SeenPoint point = bilinear(raster, place);
                sum.level += point.level;
                sum.cover += point.cover;
            }
            seen.levels.push_back(sum.level / (n * n));
            seen.cover.push_back(sum.cover / (n * n));
        }
    }
    return seen;
}

}  // namespace fovea
