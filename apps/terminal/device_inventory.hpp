#pragma once

#include <string>

#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The devices of this machine and the libraries of this program: "cpu", "cuda" (with the driver's readings
/// of each GPU under "state"), "nvidia" (NVML, nvJPEG, NVDEC: found, or the reason why not) and "libraries".
Json device_inventory();

/// device_inventory() for people, with a line for each thing.
std::string describe_inventory(const Json& inventory);

}  // namespace fovea
