#pragma once

#include <string>
#include <vector>

#include "lib/json/json_fwd.hpp"
#include "lib/numbers/number.hpp"

namespace fovea {

/// Found, false and missed ones, and what follows from these at one threshold: precision, recall, F1,
/// accuracy, false positives per image.
const std::vector<Quantity>& count_quantities();

/// States those of them that an evaluation's JSON has in the object at `path`; empty = in itself.
void state_counts(const std::vector<std::string>& path, Json& evaluation);

}  // namespace fovea
