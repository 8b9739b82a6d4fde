#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/view.hpp"
#include "kernels/optical_flow/flow_body.hpp"

// The arithmetic of OpenCV 4.6's cornerMinEigenVal and goodFeaturesToTrack on x86 that the CPU and the GPU
// share: a pixel's gradients, the sums over its block of 3x3 pixels, its eigenvalue, the test for corners.
namespace fovea {

// Sobel's weights: 1 and 2, divided by 4 · 3 · 255.
inline constexpr double sobel_scale = 1.0 / (4 * 3 * 255.0);
inline constexpr float sobel_side = static_cast<float>(sobel_scale);
inline constexpr float sobel_centre = static_cast<float>(2 * sobel_scale);

/// factor · weight + sum, rounded once: it is exact in double precision, because a factor has 11 bits and the
/// smallest sums are not much smaller than a weight.
FOVEA_HOST_DEVICE inline float rounded_once(int factor, float weight, float sum) {
    return static_cast<float>(static_cast<double>(factor) * static_cast<double>(weight) +
                              static_cast<double>(sum));
}

struct CornerGradient {
    float x, y;
};

/// The image's rows above, at and below a place, mirrored at the edges.
struct CornerRows {
    const std::uint8_t *above, *here, *below;
};

FOVEA_HOST_DEVICE inline CornerRows rows_around(const ImageView<const std::uint8_t>& image, int y) {
    return {image.row(mirrored(y - 1, image.height)), image.row(y), image.row(mirrored(y + 1, image.height))};
}

FOVEA_HOST_DEVICE inline float smoothed_by_sobel(int left, int centre, int right) {
    const float first = static_cast<float>(left) * sobel_side;
    return rounded_once(right, sobel_side, rounded_once(centre, sobel_centre, first));
}

/// The gradient at column `x` with its neighbours, columns `left` and `right`.
FOVEA_HOST_DEVICE inline CornerGradient corner_gradient(const CornerRows& rows, int left, int x, int right) {
    const int above = rows.above[right] - rows.above[left], here = rows.here[right] - rows.here[left],
              below = rows.below[right] - rows.below[left];
    return {rounded_once(above + below, sobel_side, static_cast<float>(here) * sobel_centre),
            smoothed_by_sobel(rows.below[left], rows.below[x], rows.below[right]) -
                smoothed_by_sobel(rows.above[left], rows.above[x], rows.above[right])};
}

/// The gradient at (x, y), mirrored at the edges.
FOVEA_HOST_DEVICE inline CornerGradient corner_gradient_at(const ImageView<const std::uint8_t>& image, int x,
                                                           int y) {
    const int column = mirrored(x, image.width);
    return corner_gradient(rows_around(image, mirrored(y, image.height)), mirrored(column - 1, image.width),
                           column, mirrored(column + 1, image.width));
}

/// Products of gradients, summed over three pixels of a row. The products are floats.
struct CornerProducts {
    double xx, xy, yy;
};

FOVEA_HOST_DEVICE inline double sum_of_three(float a, float b, float c) {
    return static_cast<double>(a) + static_cast<double>(b) + static_cast<double>(c);
}

FOVEA_HOST_DEVICE inline CornerProducts row_products(CornerGradient left, CornerGradient here,
                                                     CornerGradient right) {
    return {sum_of_three(left.x * left.x, here.x * here.x, right.x * right.x),
            sum_of_three(left.x * left.y, here.x * here.y, right.x * right.y),
            sum_of_three(left.y * left.y, here.y * here.y, right.y * right.y)};
}

/// The sum over a block of three rows that moves down a column, in double precision as in OpenCV's box
/// filter: each new row is added, and the oldest one subtracted. The first whole block ends at the third row.
///
/// A column must be walked from its top, row by row, because the sums are not exact. Gradients are multiples
/// of a weight, rounded, so that most are 0 or more than 2^-12. The products of such gradients are multiples
/// of 2^-47, and nine of them are less than 2: their sum is exact in any order. But where the parts of a
/// gradient cancel (above + below = -2 · here, or two rows of the same weighted sum), a difference of
/// roundings can remain, 2^-34 to 2^-27. A sum that also has a steep gradient cannot hold the square of this
/// difference. The error remains when both have left the sum; in a flat area below, the eigenvalue shows it.
class RunningBlockSum {
  public:
    FOVEA_HOST_DEVICE float add(double newest) {
        const double whole = sum_ + newest;
        sum_ = whole - oldest_;
        oldest_ = latest_;
        latest_ = newest;
        return static_cast<float>(whole);
    }

  private:
    double sum_ = 0, oldest_ = 0, latest_ = 0;
};

/// The smaller eigenvalue of the matrix of a block's sums.
FOVEA_HOST_DEVICE inline float smaller_eigenvalue(float xx, float xy, float yy) {
    const float a = xx * 0.5F, c = yy * 0.5F;
    return (a + c) - sqrtf((a - c) * (a - c) + xy * xy);
}

/// The sums of a block that moves down a column.
struct CornerBlock {
    /// Adds a row. \return the block's eigenvalue, from the third row on.
    FOVEA_HOST_DEVICE float add(const CornerProducts& newest) {
        const float x = xx.add(newest.xx), mixed = xy.add(newest.xy), y = yy.add(newest.yy);
        return smaller_eigenvalue(x, mixed, y);
    }
    RunningBlockSum xx, xy, yy;
};

/// The eigenvalue that a corner must exceed. \param best the largest eigenvalue where corners are wanted.
FOVEA_HOST_DEVICE inline float corner_threshold(float best, double quality) {
    return static_cast<float>(static_cast<double>(best) * quality);
}

/// True if the eigenvalue at (x, y) exceeds the threshold and no neighbour's is larger.
/// \param x, y not at the edges of the image.
FOVEA_HOST_DEVICE inline bool is_corner(const ImageView<const float>& values, float threshold, int x, int y) {
    const auto above = [&](int column, int row) {
        const float value = values(column, row);
        return value > threshold ? value : 0.0F;
    };
    const float value = above(x, y);
    if (value == 0) return false;
    for (int j = -1; j <= 1; ++j) {
        for (int i = -1; i <= 1; ++i) {
            if (above(x + i, y + j) > value) return false;
        }
    }
    return true;
}

}  // namespace fovea
