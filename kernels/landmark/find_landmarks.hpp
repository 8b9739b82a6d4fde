#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/landmark/landmark_model.hpp"

namespace fovea {

/// A face whose landmarks are wanted.
struct LandmarkTask {
    std::uint32_t image = 0;  ///< index of its image
    Rect box;                 ///< image pixels; may reach beyond the image, where all is black

    friend bool operator==(const LandmarkTask&, const LandmarkTask&) = default;
};

/// Tables that the evaluation needs beside the model, made once.
struct LandmarkTables {
    /// For turn_sums: the initial shape minus its mean, divided by the sum of its squares, 2 · points. A
    /// shape of one place has weights 0, and turns are then not computed but 1 (dlib: the identity for one
    /// point).
    std::vector<double> turn_weights;
    bool turns = true;
};

LandmarkTables make_landmark_tables(const LandmarkModel& model);

/// Finds the landmarks of faces on the CPU, on the threads of the calling thread's TBB arena: dlib's result
/// (19.24, shape_predictor) in every bit, up to what LAPACK's rounding in dlib's SVD of a 2 × 2 matrix
/// changes in the 24th bit of the turn. (For shapes whose points lie on one line, so always of two points,
/// dlib's rounding may decide that the turn is a reflection; here it never is.)
///
/// Every leaf is added in the order of the trees, so the result depends on nothing but the model, the image
/// and the box.
/// \param model as check_landmark_model wants it. \param tables of the model.
/// \param images 8-bit grey. \param positions receives [face][2 · points] int32: x0 y0 x1 y1 ... in units of
/// 1 / model.subpixels pixel, the image's top left pixel's centre being (0, 0).
void find_landmarks(const LandmarkModel& model, const LandmarkTables& tables,
                    std::span<const ImageView<const std::uint8_t>> images,
                    std::span<const LandmarkTask> faces, std::int32_t* positions);

}  // namespace fovea
