#pragma once

#include "kernels/face_normalise/face_normalise.hpp"

namespace fovea::cuda_backend {

/// The launch behind fovea::normalise_faces; the faces lie on the device.
void normalise_faces(const Device& device, std::uint8_t* faces, std::size_t count, Size size,
                     const FaceNormalisation& normalisation);

}  // namespace fovea::cuda_backend
