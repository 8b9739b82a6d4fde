#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/view.hpp"

// The arithmetic of normalised faces, host and device alike.
namespace fovea {

/// The ellipse that holds a face, in pixels of the aligned crop. The default is CSU's for 130×150.
struct FaceEllipse {
    double x = 65;  ///< centre
    double y = 50;
    double a = 64;   ///< horizontal radius
    double b = 118;  ///< vertical radius

    FOVEA_HOST_DEVICE bool holds(int column, int row) const {
        const double u = column - x, v = row - y;
        return 1 - (u * u / (a * a) + v * v / (b * b)) > 0;
    }
    friend bool operator==(const FaceEllipse&, const FaceEllipse&) = default;
};

/// The equalised grey value of pixels of grey value `value`: 255 · (at_most - lowest) / (pixels - lowest),
/// rounded half up; `value` itself if all pixels have the same value.
/// \param at_most number of pixels of at most this value. \param lowest number of pixels of the lowest value
/// that occurs. \param pixels number of pixels of the face, at most 2^24.
FOVEA_HOST_DEVICE inline std::uint32_t equalised_value(std::uint32_t value, std::uint32_t at_most,
                                                       std::uint32_t lowest, std::uint32_t pixels) {
    if (pixels == lowest) return value;
    const std::uint64_t span = pixels - lowest;
    return static_cast<std::uint32_t>((std::uint64_t{510} * (at_most - lowest) + span) / (2 * span));
}

/// Columns of a row that belong to the face: begin to end - 1. Both are 0 if there are none.
struct FaceSpan {
    int begin = 0;
    int end = 0;
};

/// The columns of a row that the ellipse holds. They are neighbours, since no operation of holds() can
/// reverse the order of two distances from the centre. \param width of the row, at least 1.
FOVEA_HOST_DEVICE inline FaceSpan span_of_row(const FaceEllipse& ellipse, int width, int row) {
    const double last = width - 1;
    const double nearest = floor(ellipse.x + 0.5);
    const int middle = static_cast<int>(nearest < 0 ? 0 : nearest > last ? last : nearest);
    if (!ellipse.holds(middle, row)) return {0, 0};
    // Bisection on both sides of a column that belongs to it.
    FaceSpan span{0, width};
    for (int inside = middle; span.begin < inside;) {
        const int column = (span.begin + inside) / 2;
        if (ellipse.holds(column, row)) {
            inside = column;
        } else {
            span.begin = column + 1;
        }
    }
    for (int inside = middle + 1; inside < span.end;) {
        const int column = (inside + span.end) / 2;
        if (ellipse.holds(column, row)) {
            inside = column + 1;
        } else {
            span.end = column;
        }
    }
    return span;
}

/// The mean of grey values, rounded half up; 0 if there are none.
FOVEA_HOST_DEVICE inline std::uint8_t rounded_mean(std::uint64_t sum, std::uint32_t pixels) {
    if (pixels == 0) return 0;
    return static_cast<std::uint8_t>((2 * sum + pixels) / (2 * std::uint64_t{pixels}));
}

}  // namespace fovea
