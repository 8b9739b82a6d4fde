#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"
#include "kernels/face_normalise/face_normalise_body.hpp"

namespace fovea {

/// The steps that an aligned face passes before its features are computed. The default is CSU's
/// (csuPreprocessNormalize, version 5, -mask YES -hist POST -pixelNorm YES), with faces kept in 8 bits.
struct FaceNormalisation {
    bool mask = true;         ///< only the pixels inside `ellipse` are the face
    FaceEllipse ellipse;      ///< pixels
    bool equalise = true;     ///< histogram equalisation of the face's pixels, over all 256 grey values
    bool standardise = true;  ///< zero mean and unit variance: see normalise_faces

    friend bool operator==(const FaceNormalisation&, const FaceNormalisation&) = default;
};

/// \throws std::invalid_argument if the size is not 1×1 to 4096×4096, the centre of the ellipse is not
/// finite, or a radius is not positive and finite.
void check_face_normalisation(const FaceNormalisation& normalisation, Size size);

/// Normalises aligned faces in place, equal in every bit on every device.
///
/// `mask`: the face is the pixels for which FaceEllipse::holds(). `equalise`: the grey values of the face
/// become equalised_value(), by integers only. `standardise`: pixels outside the face get the face's mean
/// grey value, rounded half up; without it they get 0. Local binary patterns cannot tell this from
/// standardisation: they are equal for an image and for any positive multiple of it plus a constant, so
/// subtracting the mean and dividing by the standard deviation only changes how the pixels outside, which CSU
/// sets to 0, compare with the face. A mask that leaves no pixel makes a face black. Source: J. R. Beveridge,
/// D. Bolme, B. A. Draper, M. Teixeira, "The CSU Face Identification Evaluation System", 2005.
///
/// \param device where `faces` lies; asynchronous on CUDA.
/// \param faces [count][height][width], 8-bit grey, without gaps.
/// \throws std::invalid_argument as check_face_normalisation; DeviceError if the launch fails.
void normalise_faces(const Device& device, std::uint8_t* faces, std::size_t count, Size size,
                     const FaceNormalisation& normalisation);

}  // namespace fovea
