#pragma once

#include <span>

#include "kernels/optical_flow/flow_body.hpp"

namespace fovea {

/// Clamps the options as OpenCV does. \param level_count of the pyramids, 1 or more.
FlowLimits flow_limits(const FlowOptions& options, int level_count);

// The checks of follow_points, for all backends; they throw std::invalid_argument.

/// \param level_count, window of a pyramid; 0 levels if it was not built.
void check_flow_pyramid(int level_count, Size window, const FlowOptions& options);
void check_flow_sizes(Size from, Size to);
void check_flow_lengths(std::span<const FlowPoint> points, std::span<FlowPoint> moved,
                        std::span<std::uint8_t> found, std::span<float> errors);

}  // namespace fovea
