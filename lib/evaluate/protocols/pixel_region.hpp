#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// The pixels of a filled shape as FDDB's evaluation program draws it with OpenCV, held as one run per row.
///
/// - Rectangle: corners (x, y) and (x + w, y + h) rounded half to even after a conversion to float, both
///   inclusive, so one pixel wider and higher than [x, x + w) x [y, y + h).
/// - Ellipse: cv::ellipse with the centre rounded in the same way, the radii cut to whole pixels, and the
///   angle rounded to whole degrees.
///
/// Shapes are clipped to the image if its size is given. Source: FDDB's evaluation program, RectangleR.cpp
/// and EllipseR.cpp.
class PixelRegion {
  public:
    /// \throws Error for coordinates beyond ±10,000,000.
    static PixelRegion of_box(const Box& box, const std::optional<ImageSize>& clip);
    /// \throws Error for radii above 20,000 pixels or a centre beyond ±10,000,000.
    static PixelRegion of_ellipse(const Ellipse& ellipse, const std::optional<ImageSize>& clip);

    std::int64_t area() const { return area_; }

    /// A box around its pixels.
    Box bounds() const;

    /// Number of pixels that both hold.
    friend std::int64_t shared_pixels(const PixelRegion& a, const PixelRegion& b);

  private:
    struct Run {
        int begin = 0;  // the pixels [begin, end)
        int end = 0;
    };
    Run row(int y) const;

    // The enclosing rectangle [left, right) x [top, bottom); a rectangle's rows are all alike and not stored.
    int left_ = 0;
    int right_ = 0;
    int top_ = 0;
    int bottom_ = 0;
    std::vector<Run> rows_;  // from top_ on; empty for a rectangle
    std::int64_t area_ = 0;
};

std::int64_t shared_pixels(const PixelRegion& a, const PixelRegion& b);

/// |a and b| / |a or b| in pixels, in [0, 1]; 0 where both are empty (the reference program then has 0 / 0).
double pixel_iou(const PixelRegion& a, const PixelRegion& b);

}  // namespace fovea
