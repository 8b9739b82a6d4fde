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
    Rect box;                 ///< image pixels; may reach beyond the image, where pixels are 0

    friend bool operator==(const LandmarkTask&, const LandmarkTask&) = default;
};

/// Tables that the evaluation needs beside the model, made once.
struct LandmarkTables {
    /// [2 · points] for turn_sums: the initial shape minus its mean, divided by the sum of its squares.
    std::vector<double> turn_weights;
    /// False if all points of the initial shape are one: the weights are 0 then, and no shape is turned (dlib
    /// does so for one point).
    bool turns = true;
    /// The mean of the initial shape's points.
    double mean_x = 0, mean_y = 0;
};

/// \param model as check_landmark_model wants it.
LandmarkTables make_landmark_tables(const LandmarkModel& model);

/// Finds the landmarks of faces on the CPU, on the threads of the calling thread's TBB arena. The result
/// equals dlib's (19.24, shape_predictor) in every bit, except that LAPACK's rounding in dlib's SVD may
/// change the 24th bit of the turn. (Where all points of a shape lie on one line, as two points always do,
/// dlib's rounding may make the turn a reflection; here it never is one.)
///
/// Every leaf is added in the order of the trees, so the result depends only on the model, the image and the
/// box. \param model as check_landmark_model wants it. \param tables of the model. \param images 8-bit grey.
/// \param positions receives [face][2 · points]: x0 y0 x1 y1 ... in units of 1 / model.subpixels pixel from
/// the centre of the image's top left pixel.
void find_landmarks(const LandmarkModel& model, const LandmarkTables& tables,
                    std::span<const ImageView<const std::uint8_t>> images,
                    std::span<const LandmarkTask> faces, std::int32_t* positions);

}  // namespace fovea
