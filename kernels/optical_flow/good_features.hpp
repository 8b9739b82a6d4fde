#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/optical_flow/flow.hpp"

namespace fovea {

/// Which corners are wanted.
struct GoodFeaturesOptions {
    int max_corners = 0;      ///< the best ones; 0 = all
    double quality = 0.01;    ///< above 0: share of the best corner's eigenvalue that a corner has at least
    double min_distance = 1;  ///< pixels, 0 or more: of two corners that are closer, the better one stays
};

/// Corners that are good to follow, the best one first (Shi and Tomasi): those of goodFeaturesToTrack of
/// OpenCV 4.6 on x86 processors with AVX2, in the same order. Eigenvalues are those of cornerMinEigenVal,
/// equal in every bit: blocks of 3x3 pixels, Sobel gradients of 3x3.
///
/// \param image 8-bit grey. \param mask empty, or as large as the image: corners lie where it is not 0.
/// \throws std::invalid_argument for an empty image, a mask of another size, or options out of range.
std::vector<FlowPoint> good_features(const ImageView<const std::uint8_t>& image,
                                     const GoodFeaturesOptions& options,
                                     const ImageView<const std::uint8_t>& mask = {});

/// The smaller eigenvalue of the gradients' matrix at each pixel, [y][x].
/// \throws std::invalid_argument for an empty image.
std::vector<float> min_eigenvalues(const ImageView<const std::uint8_t>& image);

}  // namespace fovea
