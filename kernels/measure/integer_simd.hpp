#pragma once

#include <cstdint>

#include "kernels/measure/measure.hpp"

namespace fovea {

/// Runs `iterations` steps of twelve chains of vectors in registers. \return a value that depends on all
/// steps, so that the compiler leaves none out.
std::uint32_t host_integer_operations(IntegerOperation operation, std::uint32_t seed,
                                      std::int64_t iterations);

/// The number of operations of single lanes in one iteration: 12 · lanes.
std::int64_t host_integer_operations_per_iteration();

}  // namespace fovea
