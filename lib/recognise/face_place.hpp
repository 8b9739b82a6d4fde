#pragma once

#include <optional>
#include <span>

#include "lib/core/types.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/recognise/face_template.hpp"
#include "lib/recognise/recogniser_config.hpp"

namespace fovea {

/// The eyes that a recogniser turns a face by, as its alignment has it: those of the landmarks, those of the
/// mean shape fitted to all of them, or those of a template fitted to some. Nothing if the landmarks have no
/// eyes, or the template is for other landmarks.
/// \param mean_shape see fitted_eyes; empty: the eyes of the landmarks take its place.
inline std::optional<CropEyes> eyes_for(const RecogniserConfig& recogniser, std::span<const Point> landmarks,
                                        std::span<const float> mean_shape) {
    switch (recogniser.alignment) {
        case FaceAlignment::eyes:
            break;
        case FaceAlignment::landmarks:
            if (mean_shape.empty()) break;
            return fitted_eyes(landmarks, mean_shape);
        case FaceAlignment::dlib:
        case FaceAlignment::arcface:
            return template_eyes(face_templates(to_string(recogniser.alignment)), recogniser.geometry,
                                 landmarks);
    }
    return eyes_of_landmarks(landmarks);
}

}  // namespace fovea
