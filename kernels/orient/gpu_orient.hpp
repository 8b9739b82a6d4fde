#pragma once

#include "kernels/orient/orient.hpp"

namespace fovea::cuda_backend {

/// The launches behind fovea::orient_images, which checks the tasks.
void orient_images(const Device& device, std::span<const OrientTask> tasks);

}  // namespace fovea::cuda_backend
