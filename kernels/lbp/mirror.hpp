#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"

namespace fovea {

/// Makes the mirror images (left and right exchanged) of faces.
/// \param device where all memory lies; asynchronous on CUDA.
/// \param faces, mirrored [count][height][width]; must not overlap. \throws DeviceError if the launch fails.
void mirror_faces(const Device& device, const std::uint8_t* faces, std::size_t count, Size size,
                  std::uint8_t* mirrored);

/// Adds more[i] to counts[i]; sums must stay below 65,536. Device and errors as mirror_faces.
void add_counts(const Device& device, std::uint16_t* counts, const std::uint16_t* more, std::size_t size);

}  // namespace fovea
