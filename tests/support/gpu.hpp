#pragma once

#include <optional>
#include <vector>

#include "kernels/core/device.hpp"

namespace fovea::test {

/// The first GPU, for parity tests. Without one the test is reported as not run; where the environment
/// variable FOVEA_REQUIRE_GPU is set, it fails instead.
std::optional<Device> gpu();

/// Lists of GPUs that share work. There is a first one; it shares with itself, which is as good as with
/// another, and with those that there are.
std::vector<std::vector<int>> sharing_gpus();

}  // namespace fovea::test
