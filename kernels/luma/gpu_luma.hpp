#pragma once

#include "kernels/luma/luma.hpp"

namespace fovea::cuda_backend {

/// The launches behind fovea::luma_to_grey, which checks the tasks.
void luma_to_grey(const Device& device, std::span<const LumaTask> tasks);

}  // namespace fovea::cuda_backend
