#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/optical_flow/good_features.hpp"

// The parts of good_features that run on the host, also where a GPU found the corners.
namespace fovea {

/// \throws std::invalid_argument for an empty image.
void check_corner_image(const ImageView<const std::uint8_t>& image);

/// \throws std::invalid_argument as good_features.
void check_corner_arguments(const ImageView<const std::uint8_t>& image, const GoodFeaturesOptions& options,
                            const ImageView<const std::uint8_t>& mask);

/// Chooses the corners that keep options.min_distance from every better one, at most options.max_corners.
/// \param best_first corners at whole pixels of an image of `size`, the best first.
std::vector<FlowPoint> choose_corners(std::span<const FlowPoint> best_first, Size size,
                                      const GoodFeaturesOptions& options);

}  // namespace fovea
