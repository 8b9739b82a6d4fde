#pragma once

#include "lib/core/types.hpp"

namespace fovea {

/// The box of a face of the MIT+CMU set from its points.
///
/// The set gives six points per face and no boxes, so every box is a convention. This program's convention:
///     eyes  = midpoint of both eyes                d = |right eye - left eye|
///     mouth = the point "center-mouth"             h = |mouth - eyes|
///     side  = 2.4 * max(d, 0.85 * h)               centre = eyes + 0.42 * (mouth - eyes)
/// The result is the upright square with this side and centre: from above the brows to below the lower lip of
/// a frontal face, and no narrower when the head turns and the eyes come closer. This holds for the set's two
/// faces that are upside down, too.
///
/// The mouth is the annotated centre, not the mean of centre and corners: the corners move with expression
/// and pose. Over the 326 faces of test sets A and B the mean would shift the box by 0.8 % of its side on
/// average and 4.5 % at most.
///
/// Coordinates are image pixels; no half pixel is added, although the points name pixel centres. The side is
/// 0 only if all points coincide.
Box mit_cmu_face_box(const Eyes& eyes, const Point& mouth_centre);

}  // namespace fovea
