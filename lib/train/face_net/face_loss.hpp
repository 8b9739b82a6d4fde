#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "lib/train/face_net/face_crops.hpp"
#include "lib/train/face_net/float_net.hpp"

namespace fovea {

/// The target that a cell of a head learns.
struct CellTarget {
    enum class Kind { background, face, ignored };
    Kind kind = Kind::background;
    Box face;  ///< of a face: its box, pixels of the crop
};

/// Targets of the cells of a head, row by row. A cell near the centre of a face learns the face if its
/// size √(w·h) is in the range of the head: below 40, 28 to 110, or from 80 pixels; where ranges overlap,
/// two heads learn it. A cell of several faces learns the smallest. Cells a little further away, in
/// ignored boxes, in faces below 9 pixels, and away from the faces of an incompletely annotated photograph
/// learn nothing.
std::vector<CellTarget> cell_targets(const CropTruth& truth, std::size_t head, std::size_t side);

/// The box that a head's five numbers mean (see head_numbers). \param row, column of the cell.
Box head_box(const float* numbers, std::size_t head, std::size_t row, std::size_t column);

/// A part of a loss, summed over cells.
struct LossSums {
    /// Cross entropy between odds and the IoU that the box has (0 for background).
    double odds = 0;
    double boxes = 0;       ///< 1 − generalised IoU (H. Rezatofighi et al., 2019)
    std::size_t faces = 0;  ///< cells
};

/// The weight of boxes in the loss: (odds + box_weight · boxes) / faces.
inline constexpr double box_weight = 2;

/// Adds up the loss of one image and head. A background cell has the weight 0.75 · p², so that easy ones
/// count little.
/// \param numbers [cell][head_channels]. \param gradient [cell][head_channels], receives the gradient by the
/// numbers, not yet divided by the number of faces.
LossSums head_loss(const std::vector<CellTarget>& targets, const float* numbers, std::size_t head,
                   std::size_t side, float* gradient);

}  // namespace fovea
