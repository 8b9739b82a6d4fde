#pragma once

#include "kernels/optical_flow/flow_body.hpp"

namespace fovea {

/// The options as the iterations want them: clamped as OpenCV clamps them.
/// \param level_count of the pyramids, 1 or more.
FlowLimits flow_limits(const FlowOptions& options, int level_count);

}  // namespace fovea
