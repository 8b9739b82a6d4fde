#pragma once

#include <optional>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/evaluate/detection/detection.hpp"

namespace fovea {

/// The places of a frontal face's eyes in its box, in box widths and heights from its top left corner. This
/// inverts the convention that makes boxes of MIT+CMU's eyes (mit_cmu_face_box), for a face with its ratio of
/// eye distance to the distance from eyes to mouth: the side is 2.4 d, so half the eyes' distance is 1 / 4.8
/// of the side, and the eyes lie 0.42 / (2.4 * 0.85) above the centre.
constexpr double eye_left_x = 0.5 - 1 / 4.8;
constexpr double eye_right_x = 0.5 + 1 / 4.8;
constexpr double eye_y = 0.5 - 0.42 / (2.4 * 0.85);

/// Two regions overlap, and a detection finds a face, below this S_eyes.
constexpr double s_eyes_border = 0.5;

/// The eyes of a frontal face in its box.
Eyes eyes_in_box(const Box& box);

/// Eyes by landmarks where their number tells which they are: of 68 points (iBUG's order) the means of 36-41
/// and 42-47, of 5 or 2 points the first two.
std::optional<Eyes> eyes_of_landmarks(const std::vector<Point>& landmarks);

/// The face's eyes as annotated, by its landmarks, or by its box.
Eyes eyes_of(const Face& face);
/// The detection's eyes by its landmarks or by its box.
Eyes eyes_of(const Detection& detection);

/// S_eyes = (distance of the left eyes + distance of the right eyes) / the smaller of both eye distances, >=
/// 0; 0 for equal eyes, infinite where an eye distance is 0. No unit. Source: D. Oro, C. Fernandez, C.
/// Segura, X. Martorell, J. Hernando, "Accelerating boosting-based face detection on GPUs", ICPP 2012,
/// equation 6.
double s_eyes(const Eyes& a, const Eyes& b);

/// Reduces detections by averaging overlapping ones (S_eyes < 0.5), the pair of smallest S_eyes first, until
/// none overlap. The average has the mean box and the mean eyes (its two landmarks) and the larger score.
///
/// strict: both members of a pair weigh the same, as printed, so that a detection merged late weighs more.
/// corrected: all detections that went into an average weigh the same.
/// The result is by falling score and does not depend on the detections' order. About O(n log n) for n
/// detections. Source: as s_eyes, section VI B. The paper leaves the score of an average open.
std::vector<Detection> average_overlapping(std::span<const Detection> detections, ProtocolMode mode);

}  // namespace fovea
