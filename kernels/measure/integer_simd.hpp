#pragma once

#include <cstdint>

#include "kernels/measure/measure.hpp"

namespace fovea {

/// `iterations` steps of twelve chains of vectors in registers. \return a value that depends on all of them,
/// so that none can be left out.
std::uint32_t host_integer_operations(IntegerOperation operation, std::uint32_t seed,
                                      std::int64_t iterations);

/// Operations of single lanes in one iteration: 12 × lanes.
std::int64_t host_integer_operations_per_iteration();

}  // namespace fovea
