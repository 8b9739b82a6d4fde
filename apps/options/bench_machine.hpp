#pragma once

#include <string>

#include "lib/device/detection_device.hpp"

namespace fovea {

/// "16 cores of this machine and cuda:0 (NVIDIA H200)": what a benchmark was measured on.
std::string machine_of(const DetectionDevice& device);

}  // namespace fovea
