#pragma once

#include <memory>

#include "kernels/face_embedding/face_resnet.hpp"

namespace fovea {

/// The CPU's part of FaceResnet. \param weights that check_face_resnet() accepts.
std::unique_ptr<const FaceResnetBackend> make_cpu_face_resnet(const FaceResnetWeights& weights);

}  // namespace fovea
