#pragma once

#include "kernels/orient/orient.hpp"

namespace fovea::cuda_backend {

/// The launches behind fovea::orient_images; the tasks are sound.
void orient_images(const Device& device, std::span<const OrientTask> tasks);

}  // namespace fovea::cuda_backend
