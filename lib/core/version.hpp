#pragma once

#include <string>

namespace fovea {

/// This program's version, e.g. "0.1.0".
std::string fovea_version();

}  // namespace fovea
