#include "kernels/optical_flow/good_features.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/optical_flow/corner_choice.hpp"
#include "kernels/optical_flow/good_features_body.hpp"

namespace fovea {
namespace {

// Gradients of a row's pixels.
class GradientRow {
  public:
    explicit GradientRow(const ImageView<const std::uint8_t>& image)
        : image_(image), gradients_(static_cast<std::size_t>(image.width)) {}

    void find(int y) {
        const CornerRows rows = rows_around(image_, y);
        const int width = image_.width;
        const auto set = [&](int left, int x, int right) {
            gradients_[static_cast<std::size_t>(x)] = corner_gradient(rows, left, x, right);
        };
        for (int x = 1; x + 1 < width; ++x) set(x - 1, x, x + 1);
        for (const int x : {0, width - 1}) set(mirrored(x - 1, width), x, mirrored(x + 1, width));
    }

    CornerProducts products(int x) const {
        return row_products(at(mirrored(x - 1, image_.width)), at(x), at(mirrored(x + 1, image_.width)));
    }

  private:
    CornerGradient at(int x) const { return gradients_[static_cast<std::size_t>(x)]; }

    ImageView<const std::uint8_t> image_;
    std::vector<CornerGradient> gradients_;
};

struct Corner {
    float value;
    int x, y;
};

// Local maxima, not at the edges of the image, that reach the quality.
std::vector<Corner> find_corners(const ImageView<const float>& values, double quality,
                                 const ImageView<const std::uint8_t>& mask) {
    const auto is_wanted = [&](int x, int y) { return mask.empty() || mask(x, y) != 0; };
    bool any = false;
    float best = 0;
    for (int y = 0; y < values.height; ++y) {
        for (int x = 0; x < values.width; ++x) {
            if (!is_wanted(x, y)) continue;
            best = any ? std::max(best, values(x, y)) : values(x, y);
            any = true;
        }
    }
    const float threshold = corner_threshold(best, quality);
    std::vector<Corner> corners;
    for (int y = 1; y + 1 < values.height; ++y) {
        for (int x = 1; x + 1 < values.width; ++x) {
            if (is_wanted(x, y) && is_corner(values, threshold, x, y))
                corners.push_back({values(x, y), x, y});
        }
    }
    return corners;
}

}  // namespace

std::vector<float> min_eigenvalues(const ImageView<const std::uint8_t>& image) {
    check_corner_image(image);
    const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
    std::vector<float> values(width * height);
    GradientRow gradients(image);
    std::vector<CornerBlock> blocks(width);
    for (int y = -1; y <= image.height; ++y) {
        gradients.find(mirrored(y, image.height));
        float* const to = y < 1 ? nullptr : values.data() + static_cast<std::size_t>(y - 1) * width;
        for (std::size_t x = 0; x < width; ++x) {
            const float value = blocks[x].add(gradients.products(static_cast<int>(x)));
            if (to != nullptr) to[x] = value;
        }
    }
    return values;
}

std::vector<FlowPoint> good_features(const ImageView<const std::uint8_t>& image,
                                     const GoodFeaturesOptions& options,
                                     const ImageView<const std::uint8_t>& mask) {
    check_corner_arguments(image, options, mask);
    const Size size{image.width, image.height};
    const std::vector<float> values = min_eigenvalues(image);
    std::vector<Corner> corners =
        find_corners({values.data(), size.width, size.height, size.width}, options.quality, mask);
    // Among equal ones, the last in the image comes first.
    std::sort(corners.begin(), corners.end(), [](const Corner& a, const Corner& b) {
        if (a.value != b.value) return a.value > b.value;
        return a.y != b.y ? a.y > b.y : a.x > b.x;
    });
    std::vector<FlowPoint> best_first;
    for (const Corner& corner : corners) {
        best_first.push_back({static_cast<float>(corner.x), static_cast<float>(corner.y)});
    }
    return choose_corners(best_first, size, options);
}

}  // namespace fovea
