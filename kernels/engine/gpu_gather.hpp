#pragma once

#include <cstddef>

#include "kernels/core/device.hpp"
#include "kernels/engine/gather_body.hpp"

namespace fovea::cuda_backend {

/// Queues the gathering of a batch's images, which lie anywhere in the GPU's memory, in one launch whose
/// shape depends on the sizes given here alone.
/// \param sources device memory, as gather_source_of wants them.
/// \param target device memory of `bytes`, both multiples of 16.
/// \throws DeviceError if the launch is refused.
void launch_gather(const Device& device, const GatherSource* sources, int count, std::byte* target,
                   std::size_t bytes);

}  // namespace fovea::cuda_backend
