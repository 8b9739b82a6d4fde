#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"
#include "kernels/face_normalise/face_normalise_body.hpp"

namespace fovea {

/// Steps that an aligned face goes through before its features are computed. The default is CSU's
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
/// `mask` leaves the face the pixels with 1 - ((x - cx)²/a² + (y - cy)²/b²) > 0. `equalise` turns the grey
/// value v of the face's pixels into equalised_value(): integers only. `standardise` gives pixels outside the
/// mean grey value of the face, rounded half up; without it they get 0. That is standardisation as far as
/// local binary patterns can see it: they are the same for an image and for any positive multiple of it plus
/// a constant, so subtracting the mean and dividing by the standard deviation changes nothing but what the
/// pixels outside, which CSU sets to 0, are in comparison. A mask that leaves no pixel makes a face black.
///
/// \param device where `faces` lies; asynchronous on CUDA. \param faces [count][height][width], 8-bit grey,
/// no gaps.
/// \throws std::invalid_argument as check_face_normalisation; DeviceError if the launch fails.
/// Source: J. R. Beveridge, D. Bolme, B. A. Draper, M. Teixeira, "The CSU Face Identification Evaluation
/// System", 2005.
void normalise_faces(const Device& device, std::uint8_t* faces, std::size_t count, Size size,
                     const FaceNormalisation& normalisation);

}  // namespace fovea
