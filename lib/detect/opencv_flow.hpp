#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/optical_flow/good_features.hpp"

namespace fovea {

/// Points as OpenCV followed them, each list parallel to the points that were given.
struct FlowResult {
    std::vector<FlowPoint> moved;
    std::vector<std::uint8_t> found;
    std::vector<float> errors;
};

/// Runs the linked OpenCV's calcOpticalFlowPyrLK, with which follow_points() is compared.
/// \param guesses empty, or one for each point: used if options.starts_at_guess.
/// \return errors are 0 where OpenCV leaves them as they were. \throws Error if OpenCV refuses.
FlowResult follow_points_with_opencv(const ImageView<const std::uint8_t>& from,
                                     const ImageView<const std::uint8_t>& to,
                                     std::span<const FlowPoint> points, std::span<const FlowPoint> guesses,
                                     const FlowOptions& options);

/// Runs the linked OpenCV's goodFeaturesToTrack, with which good_features() is compared. \throws Error if
/// OpenCV refuses.
std::vector<FlowPoint> good_features_with_opencv(const ImageView<const std::uint8_t>& image,
                                                 const GoodFeaturesOptions& options,
                                                 const ImageView<const std::uint8_t>& mask = {});

}  // namespace fovea
