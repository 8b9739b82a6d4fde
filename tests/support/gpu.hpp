#pragma once

#include <optional>

#include "kernels/core/device.hpp"

namespace fovea::test {

/// The first GPU, for parity tests. Without one the test is reported as not run; where the environment
/// variable FOVEA_REQUIRE_GPU is set, it fails instead.
std::optional<Device> gpu();

}  // namespace fovea::test
