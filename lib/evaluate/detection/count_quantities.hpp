#pragma once

#include <string>
#include <vector>

#include "lib/json/json_fwd.hpp"
#include "lib/numbers/number.hpp"

namespace fovea {

/// The counts of found and missed faces and of false positives, and what follows from them at one threshold:
/// precision, recall, F1, accuracy, false positives per image.
const std::vector<Quantity>& count_quantities();

/// States the quantities that an evaluation's JSON has in the object at `path`; empty = in the JSON itself.
void state_counts(const std::vector<std::string>& path, Json& evaluation);

}  // namespace fovea
