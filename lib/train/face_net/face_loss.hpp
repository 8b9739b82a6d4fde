#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/net_training/face_loss_body.hpp"
#include "kernels/net_training/net_plan.hpp"
#include "lib/train/face_net/face_crops.hpp"

namespace fovea {

/// Targets of the cells of a head, row by row. A cell near the centre of a face learns the face if its
/// size √(w·h) is in the range of the head: below 40, 28 to 110, or from 80 pixels; where ranges overlap,
/// two heads learn it. A cell of several faces learns the smallest. Cells a little further away, in
/// ignored boxes, in faces below 9 pixels, and away from the faces of an incompletely annotated photograph
/// learn nothing.
std::vector<CellTarget> cell_targets(const CropTruth& truth, std::size_t head, std::size_t side);

/// Adds up the loss of one image and head.
/// \param numbers [cell][head_channels]. \param gradient [cell][head_channels], receives the gradient by the
/// numbers, not yet divided by the number of faces.
NetLosses head_loss(std::span<const CellTarget> targets, const float* numbers, std::size_t head,
                    std::size_t side, float* gradient);

}  // namespace fovea
