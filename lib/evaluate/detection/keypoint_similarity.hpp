#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// The sigmas of COCO's 17 keypoints of a person, or of COCO-WholeBody's 68 of a face (the order of
/// 300-W); empty for other numbers of points. Sources: pycocotools 2.0.11, setKpParams;
/// COCO-WholeBody, myeval_wholebody.py.
std::span<const double> known_sigmas(std::size_t points);

/// The object keypoint similarity of a face and landmarks found, in [0, 1]: the mean over the labelled
/// landmarks of exp(-d² / (2 a (2 sigma)²)), where d is the distance in pixels and a the face's area. For a
/// face without a labelled landmark, d is the distance to its box, doubled to every side.
///
/// \param found as many points as sigmas; the face's landmarks are as many or none.
/// Source: pycocotools 2.0.11, computeOks, in its order of operations.
double keypoint_similarity(const Face& face, std::span<const Point> found, std::span<const double> sigmas);

}  // namespace fovea
