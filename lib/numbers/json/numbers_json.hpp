#pragma once

#include <optional>
#include <string>

#include "lib/json/json_fwd.hpp"
#include "lib/numbers/number.hpp"

// Numbers in report.json. A number stands under its key, with its interval beside it: "eer", "eer_ci95". Each
// evaluation has a member "quantities", which describes each number by its path ("coco.ap_50"): {"name",
// "definition", "unit": "share" or "number", "better": "higher", "lower" or "neither", "headline": true, if
// it is one}. Readers of reports go by these descriptions, never by names.

namespace fovea {

/// How JSON holds a number without a value: as null, or not at all.
enum class Undefined { as_null, left_out };

/// Adds the values and intervals of numbers to an object.
void add_numbers(const Numbers& numbers, Json& object, Undefined undefined = Undefined::as_null);

/// Adds the description of the number at `path` to an evaluation's "quantities".
void state_quantity(const std::string& path, const Quantity& quantity, Json& evaluation);
/// Adds the description of each number, undefined ones too, at the path of `prefix` and the number's key.
void state_quantities(const std::string& prefix, const Numbers& numbers, Json& evaluation);

/// The quantity that an evaluation describes at `path`; its key is the path. Nothing if there is no
/// description, as in reports of earlier versions. Words that this version does not know are passed over.
std::optional<Quantity> stated_quantity(const Json& evaluation, const std::string& path);

}  // namespace fovea
