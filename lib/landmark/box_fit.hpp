#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/landmark/box_convention.hpp"

namespace fovea {

/// A face whose landmarks are known, and the box that a detector gave it.
struct BoxedFace {
    Box box;
    std::vector<Point> landmarks;
};

/// The upright box of the mean face, fitted to the landmarks: the shape is scaled and moved, not turned, to
/// the least sum of squared distances. It is steadier than the landmarks' own tight box, which an open mouth
/// makes taller.
/// \param shape the mean face, as mean_shape() makes it, with as many points as `landmarks`.
/// \return the tight box of the fitted shape; a box without extent if the landmarks have none or lie as no
/// upright face does.
Box fitted_box(std::span<const Point> shape, std::span<const Point> landmarks);

/// Fits the convention of a detector: each edge is the median, over the faces, of that edge of fitted_box()
/// in the detector's box. A few wrongly paired faces do not move a median. Faces without a fitted box are
/// left out.
/// \throws Error if fewer than 10 faces are left.
BoxConvention fit_convention(const std::string& name, std::span<const Point> shape,
                             std::span<const BoxedFace> faces);

/// The detection of a face: its box has the largest IoU, at least 0.2, with the tight box of the landmarks;
/// the first of equals. \return its index, or -1 if there is none.
int detection_of_face(std::span<const Point> landmarks, std::span<const Detection> detections);

}  // namespace fovea
