#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/optical_flow/good_features.hpp"

namespace fovea {

/// Points where OpenCV found them.
struct FlowResult {
    std::vector<FlowPoint> moved;
    std::vector<std::uint8_t> found;
    std::vector<float> errors;
};

/// The linked OpenCV's calcOpticalFlowPyrLK, as the reference that follow_points is held against.
/// \param guesses empty, or one for each point: used if options.starts_at_guess.
/// \return errors are 0 where OpenCV leaves them as they were. \throws Error if OpenCV refuses.
FlowResult follow_points_with_opencv(const ImageView<const std::uint8_t>& from,
                                     const ImageView<const std::uint8_t>& to,
                                     std::span<const FlowPoint> points, std::span<const FlowPoint> guesses,
                                     const FlowOptions& options);

/// The linked OpenCV's goodFeaturesToTrack, as the reference of good_features. \throws Error if OpenCV
/// refuses.
std::vector<FlowPoint> good_features_with_opencv(const ImageView<const std::uint8_t>& image,
                                                 const GoodFeaturesOptions& options,
                                                 const ImageView<const std::uint8_t>& mask = {});

}  // namespace fovea
