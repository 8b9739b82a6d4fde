#pragma once

#include <optional>
#include <span>

#include "lib/core/types.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/recognise/recogniser_config.hpp"

namespace fovea {

/// The eyes that a recogniser turns a face by, as its alignment has it: those of the landmarks, or those of
/// the mean shape fitted to all of them. Nothing if the landmarks have no eyes.
/// \param mean_shape see fitted_eyes.
inline std::optional<CropEyes> eyes_for(const RecogniserConfig& recogniser, std::span<const Point> landmarks,
                                        std::span<const float> mean_shape) {
    return recogniser.alignment == FaceAlignment::eyes ? eyes_of_landmarks(landmarks)
                                                       : fitted_eyes(landmarks, mean_shape);
}

}  // namespace fovea
