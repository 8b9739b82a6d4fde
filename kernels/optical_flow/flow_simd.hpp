#pragma once

#include <cstddef>

#include "kernels/optical_flow/follow_point.hpp"

namespace fovea {

/// Follows points [first, last) on the calling thread, by vector instructions chosen at run time (Highway);
/// equal in every bit for all instruction sets.
void follow_points_in_vectors(const FlowTask& task, std::size_t first, std::size_t last);

}  // namespace fovea
