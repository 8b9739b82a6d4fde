#pragma once

#include <memory>

#include "kernels/core/device.hpp"
#include "kernels/face_embedding/face_resnet.hpp"

namespace fovea::cuda_backend {

/// A GPU's part of FaceResnet. \param device must outlive it. \param weights that check_face_resnet()
/// accepts. \throws DeviceError; std::bad_alloc.
std::unique_ptr<const FaceResnetBackend> make_face_resnet(const Device& device,
                                                          const FaceResnetWeights& weights);

/// The launch behind fovea::round_vectors(); all memory lies on the device.
void round_vectors(const Device& device, const float* vectors, const float* mirrored, std::size_t size,
                   std::uint16_t* words);

}  // namespace fovea::cuda_backend
