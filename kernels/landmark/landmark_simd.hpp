#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/landmark/find_landmarks.hpp"

namespace fovea {

/// Faces that find_landmarks_of_block takes at once: the bytes of the longest vectors.
constexpr std::size_t max_faces_of_block = 64;

/// find_landmarks of up to max_faces_of_block faces on the calling thread, in vectors of the instruction set
/// chosen at run time (Highway): equal in every bit for all of them.
void find_landmarks_of_block(const LandmarkModel& model, const LandmarkTables& tables,
                             std::span<const ImageView<const std::uint8_t>> images,
                             std::span<const LandmarkTask> faces, std::int32_t* positions);

}  // namespace fovea
