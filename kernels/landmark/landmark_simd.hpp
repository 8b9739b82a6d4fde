#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/landmark/find_landmarks.hpp"

namespace fovea {

/// The most faces that find_landmarks_of_block takes: the bytes of the longest vectors.
constexpr std::size_t max_faces_of_block = 64;

/// find_landmarks of up to max_faces_of_block faces on the calling thread, by vector instructions chosen at
/// run time (Highway); equal in every bit for all instruction sets.
void find_landmarks_of_block(const LandmarkModel& model, const LandmarkTables& tables,
                             std::span<const ImageView<const std::uint8_t>> images,
                             std::span<const LandmarkTask> faces, std::int32_t* positions);

}  // namespace fovea
