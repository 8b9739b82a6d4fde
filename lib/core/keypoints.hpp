#pragma once

#include <cstddef>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// The number of landmarks that a face's annotation has, labelled or not.
std::size_t keypoints_of(const Face& face);

/// The number of labelled landmarks of a face.
std::size_t labelled_keypoints(const Face& face);

/// Landmark i (below keypoints_of()) of a face, with its visibility; visible if the annotation does not say.
Keypoint keypoint(const Face& face, std::size_t i);

/// Gives a face, which has no landmarks yet, those of an annotation that states their visibility.
/// \return false if only some points are labelled. Landmarks are told apart by their position in the list, so
/// the face then has `keypoints`, but no `landmarks`.
bool set_keypoints(Face& face, std::vector<Keypoint> points);

/// The visibility for COCO's number 0, 1 or 2; numbers between are rounded up, others are clamped.
Keypoint::Visibility visibility_from(double number);
/// COCO's number of a visibility: 0, 1 or 2.
int visibility_number(Keypoint::Visibility visibility);

}  // namespace fovea
