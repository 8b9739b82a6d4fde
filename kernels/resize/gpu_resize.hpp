#pragma once

#include <cstdint>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"

namespace fovea::cuda_backend {

/// The launch behind fovea::resize_linear; both views lie in device memory.
void resize_linear(const Device& device, ImageView<const std::uint8_t> source,
                   ImageView<std::uint8_t> destination);

}  // namespace fovea::cuda_backend
