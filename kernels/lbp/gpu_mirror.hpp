#pragma once

#include "kernels/lbp/mirror.hpp"

namespace fovea::cuda_backend {

/// The launches behind fovea::mirror_faces and fovea::add_counts; all memory lies on the device.
void mirror_faces(const Device& device, const std::uint8_t* faces, std::size_t count, Size size,
                  std::uint8_t* mirrored);
void add_counts(const Device& device, std::uint16_t* counts, const std::uint16_t* more, std::size_t size);

}  // namespace fovea::cuda_backend
