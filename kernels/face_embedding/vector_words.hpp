#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/device.hpp"

namespace fovea {

/// Rounds components of vectors to words: vector_word(). All memory lies on the device; asynchronous on CUDA.
/// \param vectors [size]. \param mirrored [size], those of the mirror images, whose means with the vectors
/// are rounded; or nullptr. \param words [size], is written. \throws DeviceError.
void round_vectors(const Device& device, const float* vectors, const float* mirrored, std::size_t size,
                   std::uint16_t* words);

}  // namespace fovea
