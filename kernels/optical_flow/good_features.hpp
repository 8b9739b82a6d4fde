#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/optical_flow/flow.hpp"

namespace fovea {

/// Which corners are wanted.
struct GoodFeaturesOptions {
    int max_corners = 0;    ///< only the best so many; 0 = all
    double quality = 0.01;  ///< a corner's least eigenvalue, as a share of the best corner's; above 0
    /// In pixels, 0 or more: if two corners are closer, only the better one stays.
    double min_distance = 1;
};

/// Finds corners that are good to follow, the best first (Shi and Tomasi): the corners of OpenCV 4.6's
/// goodFeaturesToTrack on x86 processors with AVX2, in the same order. Eigenvalues equal those of
/// cornerMinEigenVal in every bit: blocks of 3x3 pixels, Sobel gradients of 3x3.
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
