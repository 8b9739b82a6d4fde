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

/// The upright box of the mean face where it fits the landmarks best: the shape is scaled and moved, not
/// turned, to the least squared distance from them. Steadier than the landmarks' own tight box, which an open
/// mouth makes taller.
/// \param shape mean face, as mean_shape() makes it, of as many points. \return the tight box of the fitted
/// shape; without extent if the landmarks have none, or lie as no upright face does.
Box fitted_box(std::span<const Point> shape, std::span<const Point> landmarks);

/// The convention of a detector: the medians, over the faces, of the edges of fitted_box() in the detector's
/// box, which faces taken for others do not move. Faces without a fitted box are left out.
/// \throws Error if fewer than 10 are left.
BoxConvention fit_convention(const std::string& name, std::span<const Point> shape,
                             std::span<const BoxedFace> faces);

/// The detection of a face: the one whose box has the largest IoU, of at least 0.2, with the tight box of its
/// landmarks; the first of equals. \return its index or -1.
int detection_of_face(std::span<const Point> landmarks, std::span<const Detection> detections);

}  // namespace fovea
