#pragma once

#include <cstddef>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// How many landmarks the annotation has for the face, labelled or not.
std::size_t keypoints_of(const Face& face);

/// How many of them are labelled.
std::size_t labelled_keypoints(const Face& face);

/// One of them, with its visibility; those of a face whose annotation states none are visible. \param i below
/// keypoints_of.
Keypoint keypoint(const Face& face, std::size_t i);

/// Gives a face the landmarks of an annotation that states their visibility.
/// \return false if some of them only are labelled: landmarks are told apart by their position in the list,
/// so that the face has keypoints, but no landmarks.
bool set_keypoints(Face& face, std::vector<Keypoint> points);

/// COCO's numbers 0, 1, 2; between them, the next one.
Keypoint::Visibility visibility_from(double number);
int visibility_number(Keypoint::Visibility visibility);

}  // namespace fovea
