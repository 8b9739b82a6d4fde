#pragma once

#include <optional>

#include "lib/core/types.hpp"

namespace fovea {

/// A face's or detection's region: its ellipse, where there is one, else its box.
struct Region {
    Box box;
    std::optional<Ellipse> ellipse;
};

/// |a and b| / |a or b| of the regions' real-valued areas, in [0, 1]; clipped to [0, width] x [0, height]
/// where the image's size is given. 0 where both are empty.
///
/// An ellipse is centre + R(angle) (major cos t, minor sin t) with R the rotation from x towards y. Areas are
/// exact but for rounding (relative errors of about 1e-12): the boundary of the shared part consists of arcs
/// and edges that are found from where the boundaries cross, and Green's theorem gives its area, 1/2 *
/// integral of (x dy - y dx).
double region_iou(const Region& a, const Region& b, const std::optional<ImageSize>& clip);

/// The area that all of them share: at most two ellipses, and a rectangle. An absent shape does not bound it.
double shared_area(const std::optional<Ellipse>& first, const std::optional<Ellipse>& second,
                   const std::optional<Box>& box);

}  // namespace fovea
