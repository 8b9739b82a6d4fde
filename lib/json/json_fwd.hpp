#pragma once

#include <nlohmann/json_fwd.hpp>

namespace fovea {

/// JSON whose keys keep the order in which they were written, so that equal work gives equal bytes. Headers
/// that only name the type include this file; sources that use it include json.hpp.
using Json = nlohmann::ordered_json;

}  // namespace fovea
