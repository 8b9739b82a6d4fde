#pragma once

#include <cstdint>
#include <string>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/json/json_fwd.hpp"

/// Parts of a record's lines (record.hpp). Readers throw results_detail::FieldError for what is not as
/// expected.
namespace fovea::record_detail {

/// A JSON string.
std::string quoted(const std::string& text);
std::string text_of(const Json& object, const char* key);
/// A whole number from 0 on.
std::int64_t whole_of(const Json& object, const char* key);

Json options_to_json(const DetectionEvaluationOptions& options);
DetectionEvaluationOptions options_from_json(const Json& json);

/// The size, attributes and faces of an image's line.
Sample ground_truth_of(const Json& line);

}  // namespace fovea::record_detail
