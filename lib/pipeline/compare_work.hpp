#pragma once

#include <string>

#include "lib/core/json.hpp"

namespace fovea {

/// What differs between the work of two manifests ("work", which must be there; else as far as "configuration" and the
/// models of "detectors" and "landmarks" tell), for a sentence: "'/detectors/0/step' is 1 and 2". Empty if it is the same.
std::string work_difference(const Json& first, const Json& second);

}  // namespace fovea
