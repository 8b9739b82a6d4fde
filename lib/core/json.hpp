#pragma once

#include <nlohmann/json.hpp>

namespace fovea {

/// JSON whose keys keep the order in which they were written, so that equal work gives equal bytes.
using Json = nlohmann::ordered_json;

}  // namespace fovea
