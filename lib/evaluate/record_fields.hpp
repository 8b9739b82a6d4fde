#pragma once

#include <string>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/json/field_json.hpp"

/// Parts of a record's lines (record.hpp).
namespace fovea::record_detail {

/// A JSON string.
std::string quoted(const std::string& text);

/// Describes the options as a record has them.
void describe_options(FieldVisitor& visitor, DetectionEvaluationOptions& options);

/// The size, attributes and faces of an image's line. \throws what the place throws.
Sample ground_truth_of(const JsonPlace& line);

}  // namespace fovea::record_detail
