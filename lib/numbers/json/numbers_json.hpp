#pragma once

#include <optional>
#include <string>

#include "lib/json/json_fwd.hpp"
#include "lib/numbers/number.hpp"

// Numbers in report.json. A number stands under its key, with its interval beside it: "eer", "eer_ci95". Once
// for each evaluation, "quantities" says of each number, by its path within the evaluation ("coco.ap_50"),
// what it is:
// {"name", "definition", "unit": "share" or "number", "better": "higher", "lower" or "neither", "headline":
// true where it is one}. Whoever reads a report goes by that, and never by a name.

namespace fovea {

/// How a number without a value stands in JSON.
enum class Undefined { as_null, left_out };

/// Adds values and intervals to an object.
void add_numbers(const Numbers& numbers, Json& object, Undefined undefined = Undefined::as_null);

/// States the quantity of the number at `path` of an evaluation.
void state_quantity(const std::string& path, const Quantity& quantity, Json& evaluation);
/// The same of each number, at `prefix` and its key. An undefined number is stated, too.
void state_quantities(const std::string& prefix, const Numbers& numbers, Json& evaluation);

/// The quantity that an evaluation states at `path`; its key is the path. Nothing where it states nothing, as
/// reports of earlier versions do, or another program's words.
std::optional<Quantity> stated_quantity(const Json& evaluation, const std::string& path);

}  // namespace fovea
