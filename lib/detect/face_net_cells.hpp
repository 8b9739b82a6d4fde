#pragma once

#include <span>
#include <vector>

#include "kernels/face_net/face_net.hpp"
#include "lib/core/types.hpp"

namespace fovea {

/// IoU above which the weaker one of two boxes is dropped.
constexpr double face_net_max_iou = 0.4;

/// The box of a cell, image pixels: see box_of_cell(). Faces are boxed as in WIDER FACE: tightly, from
/// forehead to chin.
Box cell_box(const NetCell& cell);

/// Turns a network's logit of a cell into the probability of a face: 1 / (1 + exp(-(slope · logit
/// + offset))).
struct FaceNetScore {
    double slope = 1;  ///< above 0
    double offset = 0;

    double of(double logit) const;
    /// The logit of a score between 0 and 1, both excluded.
    double logit_of(double score) const;
    friend bool operator==(const FaceNetScore&, const FaceNetScore&) = default;
};

/// Adds a face for every cell, in the same order; not clipped to the image. \param scale of the boxes.
void add_faces(std::span<const NetCell> cells, const FaceNetScore& score, double scale,
               std::vector<Detection>& faces);

/// The cells that stay: in the order of falling logit, then level, row and column, a cell is dropped if its
/// box's IoU with that of a kept one is above `max_iou`. The order of the input does not matter. \return the
/// cells in that order.
std::vector<NetCell> strongest_cells(std::span<const NetCell> cells, double max_iou = face_net_max_iou);

/// The faces of strongest_cells(), in their order, not clipped to the image.
std::vector<Detection> faces_of_cells(std::span<const NetCell> cells, const FaceNetScore& score = {},
                                      double max_iou = face_net_max_iou);

}  // namespace fovea
