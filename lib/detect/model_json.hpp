#pragma once

#include <string>
#include <string_view>

#include "lib/json/json_fwd.hpp"

// The parts that JSON files of all models of this program share.

namespace fovea {

/// True if a text begins with an object, behind blanks and a byte order mark.
bool begins_as_json(std::string_view text);

/// The last member of a model's file: ",\n  \"training\": {...}" indented, or nothing for null.
std::string training_member(const Json& training);

}  // namespace fovea
