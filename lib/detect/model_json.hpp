#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lib/json/json_place.hpp"

// The parts that JSON files of all models of this program share.

namespace fovea {

/// True if a text begins with an object, behind blanks and a byte order mark.
bool begins_as_json(std::string_view text);

/// \throws Error unless this is an object with "format": FORMAT and a "version" from 1 to `version`.
void require_model_format(const JsonPlace& place, const std::string& format, int version);

/// The object "training", kept as it is; null if there is none. \throws Error if it is something else.
Json read_training(const JsonPlace& place);

/// The last member of a model's file: ",\n  \"training\": {...}" indented, or nothing for null.
std::string training_member(const Json& training);

}  // namespace fovea
