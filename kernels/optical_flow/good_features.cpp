#include "kernels/optical_flow/good_features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>

#include "kernels/optical_flow/flow_body.hpp"

namespace fovea {
namespace {

// Sobel's weights: 1 and 2, divided by 4 · 3 · 255.
constexpr double sobel_scale = 1.0 / (4 * 3 * 255.0);
constexpr auto side_weight = static_cast<float>(sobel_scale);
constexpr auto centre_weight = static_cast<float>(2 * sobel_scale);

// factor · weight + sum, rounded once: in double precision all of it is exact, because a factor has 11 bits
// and the smallest sums are not much smaller than a weight.
inline float rounded_once(int factor, float weight, float sum) {
    return static_cast<float>(static_cast<double>(factor) * static_cast<double>(weight) +
                              static_cast<double>(sum));
}

// Rows of the image above, at and below a place, mirrored at the edges.
struct ThreeRows {
    std::array<const std::uint8_t*, 3> rows;
};

ThreeRows rows_around(const ImageView<const std::uint8_t>& image, int y) {
    return {
        {image.row(mirrored(y - 1, image.height)), image.row(y), image.row(mirrored(y + 1, image.height))}};
}

// Products of the gradients at each pixel of a row: xx, xy, yy.
class GradientRows {
  public:
    explicit GradientRows(const ImageView<const std::uint8_t>& image)
        : image_(image), x_(static_cast<std::size_t>(image.width)), y_(x_.size()) {}

    /// Sums of the products over three columns, [x][3].
    void add_columns(int y, std::vector<double>& sums) {
        find_gradients(y);
        const int width = image_.width;
        for (int x = 0; x < width; ++x) {
            const auto left = static_cast<std::size_t>(mirrored(x - 1, width)),
                       here = static_cast<std::size_t>(x),
                       right = static_cast<std::size_t>(mirrored(x + 1, width));
            double* const to = sums.data() + 3 * here;
            to[0] = sum_of(x_[left] * x_[left], x_[here] * x_[here], x_[right] * x_[right]);
            to[1] = sum_of(x_[left] * y_[left], x_[here] * y_[here], x_[right] * y_[right]);
            to[2] = sum_of(y_[left] * y_[left], y_[here] * y_[here], y_[right] * y_[right]);
        }
    }

  private:
    static double sum_of(float a, float b, float c) {
        return static_cast<double>(a) + static_cast<double>(b) + static_cast<double>(c);
    }

    static float smoothed(int left, int centre, int right) {
        const float first = static_cast<float>(left) * side_weight;
        return rounded_once(right, side_weight, rounded_once(centre, centre_weight, first));
    }

    void find_gradient(const ThreeRows& from, int x, int left, int right) {
        const auto across = [&](int row) {
            const std::uint8_t* const pixels = from.rows[static_cast<std::size_t>(row)];
            return pixels[right] - pixels[left];
        };
        const auto along = [&](int row) {
            const std::uint8_t* const pixels = from.rows[static_cast<std::size_t>(row)];
            return smoothed(pixels[left], pixels[x], pixels[right]);
        };
        const auto place = static_cast<std::size_t>(x);
        x_[place] =
            rounded_once(across(0) + across(2), side_weight, static_cast<float>(across(1)) * centre_weight);
        y_[place] = along(2) - along(0);
    }

    void find_gradients(int y) {
        const ThreeRows from = rows_around(image_, y);
        const int width = image_.width;
        for (int x = 1; x + 1 < width; ++x) find_gradient(from, x, x - 1, x + 1);
        for (const int x : {0, width - 1}) {
            find_gradient(from, x, mirrored(x - 1, width), mirrored(x + 1, width));
        }
    }

    ImageView<const std::uint8_t> image_;
    std::vector<float> x_, y_;
};

float smaller_eigenvalue(float xx, float xy, float yy) {
    const float a = xx * 0.5F, c = yy * 0.5F;
    return (a + c) - std::sqrt((a - c) * (a - c) + xy * xy);
}

void check_image(const ImageView<const std::uint8_t>& image) {
    if (image.empty()) throw std::invalid_argument("corners are sought in an image that is empty");
}

void check_arguments(const ImageView<const std::uint8_t>& image, const GoodFeaturesOptions& options,
                     const ImageView<const std::uint8_t>& mask) {
    check_image(image);
    if (!mask.empty() && (mask.width != image.width || mask.height != image.height)) {
        throw std::invalid_argument("the mask of the corners is not as large as the image");
    }
    // Written so that what is no number is refused.
    if (!(options.quality > 0) || !(options.min_distance >= 0) || options.max_corners < 0) {
        throw std::invalid_argument(
            "corners need a quality above 0, and a distance and a number of 0 or more");
    }
}

struct Corner {
    float value;
    int x, y;
};

// Local maxima, not at the edges of the image, that reach the quality.
std::vector<Corner> find_corners(std::span<const float> values, Size size, double quality,
                                 const ImageView<const std::uint8_t>& mask) {
    const auto at = [&](int x, int y) {
        return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                      static_cast<std::size_t>(x)];
    };
    const auto is_wanted = [&](int x, int y) { return mask.empty() || mask(x, y) != 0; };
    bool any = false;
    float best = 0;
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
            if (!is_wanted(x, y)) continue;
            best = any ? std::max(best, at(x, y)) : at(x, y);
            any = true;
        }
    }
    const auto threshold = static_cast<float>(static_cast<double>(best) * quality);
    const auto above = [&](int x, int y) { return at(x, y) > threshold ? at(x, y) : 0.0F; };
    std::vector<Corner> corners;
    for (int y = 1; y + 1 < size.height; ++y) {
        for (int x = 1; x + 1 < size.width; ++x) {
            const float value = above(x, y);
            if (value == 0 || !is_wanted(x, y)) continue;
            bool is_maximum = true;
            for (int j = -1; j <= 1 && is_maximum; ++j) {
                for (int i = -1; i <= 1; ++i) is_maximum = is_maximum && above(x + i, y + j) <= value;
            }
            if (is_maximum) corners.push_back({value, x, y});
        }
    }
    return corners;
}

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

std::vector<float> min_eigenvalues(const ImageView<const std::uint8_t>& image) {
    check_image(image);
    const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
    std::vector<float> values(width * height);
    GradientRows gradients(image);
    // Rows leave the sum as they entered it, in double precision: that is how OpenCV's box filter rounds.
    std::vector<double> sums(3 * width);
    std::array<std::vector<double>, 3> rows;
    for (auto& row : rows) row.resize(3 * width);
    for (int y = -1; y <= image.height; ++y) {
        std::vector<double>& newest = rows[static_cast<std::size_t>(y + 3) % 3];
        gradients.add_columns(mirrored(y, image.height), newest);
        if (y < 1) {
            for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += newest[i];
            continue;
        }
        const std::vector<double>& oldest = rows[static_cast<std::size_t>(y + 1) % 3];
        float* const to = values.data() + static_cast<std::size_t>(y - 1) * width;
        for (std::size_t x = 0; x < width; ++x) {
            float products[3];
            for (std::size_t i = 0; i < 3; ++i) {
                const double sum = sums[3 * x + i] + newest[3 * x + i];
                products[i] = static_cast<float>(sum);
                sums[3 * x + i] = sum - oldest[3 * x + i];
            }
            to[x] = smaller_eigenvalue(products[0], products[1], products[2]);
        }
    }
    return values;
}

std::vector<FlowPoint> good_features(const ImageView<const std::uint8_t>& image,
                                     const GoodFeaturesOptions& options,
                                     const ImageView<const std::uint8_t>& mask) {
    check_arguments(image, options, mask);
    const Size size{image.width, image.height};
    std::vector<Corner> corners = find_corners(min_eigenvalues(image), size, options.quality, mask);
    // Among equal ones, the last in the image comes first.
    std::sort(corners.begin(), corners.end(), [](const Corner& a, const Corner& b) {
        if (a.value != b.value) return a.value > b.value;
        return a.y != b.y ? a.y > b.y : a.x > b.x;
    });
    const auto most =
        options.max_corners > 0 ? static_cast<std::size_t>(options.max_corners) : corners.size();
    std::vector<FlowPoint> points;
    const bool keeps_distance = options.min_distance >= 1;
    DistantCorners distant(size, keeps_distance ? options.min_distance : 1.0);
    for (const Corner& corner : corners) {
        if (points.size() == most) break;
        const FlowPoint point{static_cast<float>(corner.x), static_cast<float>(corner.y)};
        if (!keeps_distance || distant.add(point)) points.push_back(point);
    }
    return points;
}

}  // namespace fovea
