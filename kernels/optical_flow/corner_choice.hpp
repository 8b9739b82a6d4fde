#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/optical_flow/good_features.hpp"

// The parts of good_features that run on the host, whatever found the corners.
namespace fovea {

/// \throws std::invalid_argument for an empty image.
void check_corner_image(const ImageView<const std::uint8_t>& image);

/// \throws std::invalid_argument as good_features.
void check_corner_arguments(const ImageView<const std::uint8_t>& image, const GoodFeaturesOptions& options,
                            const ImageView<const std::uint8_t>& mask);

/// Corners that keep their distance to every better one, options.max_corners of them at most.
/// \param best_first whole pixels in an image of `size`.
std::vector<FlowPoint> choose_corners(std::span<const FlowPoint> best_first, Size size,
                                      const GoodFeaturesOptions& options);

}  // namespace fovea
