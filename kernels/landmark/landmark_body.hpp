#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/core/view.hpp"
#include "kernels/landmark/find_landmarks.hpp"

// The arithmetic of one face, host and device alike. All of it is +, -, *, / and floor of IEEE numbers in the
// order written here, so that it is the same everywhere.
namespace fovea {

/// An affine transform: x' = xx·x + xy·y + x0, y' = yx·x + yy·y + y0.
struct UnitToImage {
    double xx = 0, xy = 0, yx = 0, yy = 0, x0 = 0, y0 = 0;
};

/// First `inner`, then `outer`.
FOVEA_HOST_DEVICE inline UnitToImage composed(const UnitToImage& outer, const UnitToImage& inner) {
    return {outer.xx * inner.xx + outer.xy * inner.yx,
            outer.xx * inner.xy + outer.xy * inner.yy,
            outer.yx * inner.xx + outer.yy * inner.yx,
            outer.yx * inner.xy + outer.yy * inner.yy,
            outer.xx * inner.x0 + outer.xy * inner.y0 + outer.x0,
            outer.yx * inner.x0 + outer.yy * inner.y0 + outer.y0};
}

/// The transform from the unit square of a box to image pixels: (0, 0) to the box's top left pixel, (1, 1) to
/// its bottom right pixel.
///
/// dlib (19.24, unnormalizing_tform) solves for it by a pseudo-inverse. Its error of some 1e-16 decides which
/// way a position half-way between two pixels is rounded; such positions are frequent where width - 1 or
/// height - 1 has many factors of two. The constants are this inverse as dlib computes it with LAPACK 3.11.
FOVEA_HOST_DEVICE inline UnitToImage unit_to_image(const Rect& box) {
    constexpr double e = 2.220446049250313080847263336181640625e-16;  // 2^-52
    constexpr double inverse[3][3] = {
        {-1 - e, -3 * e, 1 + 2 * e}, {1 - e, -1 + 2 * e, e / 2}, {e / 4, 1 - e, e / 4}};
    const double left = box.x, top = box.y;
    const double right = left + box.width - 1, bottom = top + box.height - 1;
    const auto row = [&](double top_left, double top_right, double bottom_right, int column) {
        return top_left * inverse[0][column] + top_right * inverse[1][column] +
               bottom_right * inverse[2][column];
    };
    return {row(left, right, right, 0), row(left, right, right, 1), row(top, top, bottom, 0),
            row(top, top, bottom, 1),   row(left, right, right, 2), row(top, top, bottom, 2)};
}

/// The linear part of the similarity transform from the initial shape to the current one; cosine and sine are
/// multiplied by the scale.
struct ShapeTurn {
    float cosine = 1;
    float sine = 0;
};

/// The number of partial sums that a turn or a fit adds.
constexpr int turn_lanes = 8;

/// A partial sum of turn_of_shape().
struct TurnSums {
    double along = 0;   ///< Σ weight · point
    double across = 0;  ///< Σ weight × point
};

/// The partial sums of lane `lane`: over the points lane, lane + 8, lane + 16, ...
/// \param weights [2 · points], see LandmarkTables. \param shape [2 · points].
FOVEA_HOST_DEVICE inline TurnSums turn_sums(const double* weights, const float* shape, int points, int lane) {
    TurnSums sums;
    for (int i = lane; i < points; i += turn_lanes) {
        const double wx = weights[2 * i], wy = weights[2 * i + 1];
        const double x = shape[2 * i], y = shape[2 * i + 1];
        sums.along += wx * x + wy * y;
        sums.across += wx * y - wy * x;
    }
    return sums;
}

/// Adds a member of the lanes in the order ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)).
template <class Sums>
FOVEA_HOST_DEVICE inline double sum_of_lanes(const Sums (&lanes)[turn_lanes], double Sums::*sum) {
    const double even = (lanes[0].*sum + lanes[4].*sum) + (lanes[2].*sum + lanes[6].*sum);
    const double odd = (lanes[1].*sum + lanes[5].*sum) + (lanes[3].*sum + lanes[7].*sum);
    return even + odd;
}

/// Width and height of a box as unit_to_image() spans it, at least 1 pixel each.
struct BoxSpan {
    double width = 1, height = 1;
};

FOVEA_HOST_DEVICE inline BoxSpan span_of(const Rect& box) {
    return {box.width > 1 ? box.width - 1.0 : 1.0, box.height > 1 ? box.height - 1.0 : 1.0};
}

/// A partial sum of square_of_shape(), over points in pixels from the box's top left.
struct FitSums {
    double along = 0, across = 0;  ///< as TurnSums
    double x = 0, y = 0;           ///< Σ point
};

/// The partial sums of lane `lane`, as turn_sums() has them.
FOVEA_HOST_DEVICE inline FitSums fit_sums(const double* weights, const float* shape, int points,
                                          const BoxSpan& span, int lane) {
    FitSums sums;
    for (int i = lane; i < points; i += turn_lanes) {
        const double wx = weights[2 * i], wy = weights[2 * i + 1];
        const double x = span.width * shape[2 * i], y = span.height * shape[2 * i + 1];
        sums.along += wx * x + wy * y;
        sums.across += wx * y - wy * x;
        sums.x += x;
        sums.y += y;
    }
    return sums;
}

/// The similarity transform that brings the initial shape nearest to a shape, by least squares: from the unit
/// square of the new box to pixels from the old box's top left.
/// \param mean_x, mean_y of the initial shape
FOVEA_HOST_DEVICE inline UnitToImage fitted_square(const FitSums& sums, double mean_x, double mean_y,
                                                   int points) {
    const double a = sums.along, b = sums.across;
    return {a,
            -b,
            b,
            a,
            sums.x / points - (a * mean_x - b * mean_y),
            sums.y / points - (b * mean_x + a * mean_y)};
}

/// The transform of the new box into the image. \param to_image of the old box, which has this span
FOVEA_HOST_DEVICE inline UnitToImage refitted(const UnitToImage& to_image, const UnitToImage& square,
                                              const BoxSpan& span) {
    const double xx = square.xx / span.width, xy = square.xy / span.width, x0 = square.x0 / span.width;
    const double yx = square.yx / span.height, yy = square.yy / span.height, y0 = square.y0 / span.height;
    return composed(to_image, {xx, xy, yx, yy, x0, y0});
}

/// The turn of a shape, on the host.
inline ShapeTurn turn_of_shape(const LandmarkModel& model, const LandmarkTables& tables, const float* shape) {
    if (!tables.turns) return {};
    TurnSums lanes[turn_lanes];
    for (int lane = 0; lane < turn_lanes; ++lane)
        lanes[lane] = turn_sums(tables.turn_weights.data(), shape, model.points, lane);
    return {static_cast<float>(sum_of_lanes(lanes, &TurnSums::along)),
            static_cast<float>(sum_of_lanes(lanes, &TurnSums::across))};
}

/// fitted_square() of a shape, on the host.
inline UnitToImage square_of_shape(const LandmarkModel& model, const LandmarkTables& tables,
                                   const float* shape, const BoxSpan& span) {
    FitSums lanes[turn_lanes];
    for (int lane = 0; lane < turn_lanes; ++lane)
        lanes[lane] = fit_sums(tables.turn_weights.data(), shape, model.points, span, lane);
    return fitted_square({sum_of_lanes(lanes, &FitSums::along), sum_of_lanes(lanes, &FitSums::across),
                          sum_of_lanes(lanes, &FitSums::x), sum_of_lanes(lanes, &FitSums::y)},
                         tables.mean_x, tables.mean_y, model.points);
}

/// A place in the image, not rounded.
struct ImagePlace {
    double x = 0;
    double y = 0;
};

FOVEA_HOST_DEVICE inline ImagePlace place_of(const UnitToImage& to_image, float x, float y) {
    return {to_image.xx * x + to_image.xy * y + to_image.x0, to_image.yx * x + to_image.yy * y + to_image.y0};
}

/// The grey value that a split sees: the image's pixel nearest to the place of `pixel` in the current shape,
/// halves rounded up; 0 outside the image.
FOVEA_HOST_DEVICE inline std::uint8_t landmark_pixel(ImageView<const std::uint8_t> image,
                                                     const UnitToImage& to_image, const ShapeTurn& turn,
                                                     const LandmarkPixel& pixel, const float* shape) {
    const float x = (turn.cosine * pixel.dx - turn.sine * pixel.dy) + shape[2 * pixel.anchor];
    const float y = (turn.sine * pixel.dx + turn.cosine * pixel.dy) + shape[2 * pixel.anchor + 1];
    const ImagePlace place = place_of(to_image, x, y);
    const double column = floor(place.x + 0.5), row = floor(place.y + 0.5);
    if (!(column >= 0 && column < image.width && row >= 0 && row < image.height)) return 0;
    return image(static_cast<int>(column), static_cast<int>(row));
}

/// A coordinate in units of 1 / subpixels, halves rounded up; limited to ±2^30, NaN to -2^30.
FOVEA_HOST_DEVICE inline std::int32_t rounded_coordinate(double value, int subpixels) {
    constexpr double limit = 1 << 30;
    const double rounded = floor(value * subpixels + 0.5);
    if (!(rounded > -limit)) return -(1 << 30);
    return static_cast<std::int32_t>(rounded < limit ? rounded : limit);
}

}  // namespace fovea
