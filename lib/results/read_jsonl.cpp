#include <cmath>
#include <limits>

#include "lib/core/error.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/coco_records.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {
namespace {

int integer_field(const Json& value, const std::string& name, int lowest) {
    const double number = finite_number(&value, name);
    if (number != std::floor(number) || number < lowest || number > std::numeric_limits<int>::max()) {
        throw FieldError{name + " is " + value.dump() + ", expected an integer from " +
                         std::to_string(lowest)};
    }
    return static_cast<int>(number);
}

std::string text_field(const Json* value, const std::string& name) {
    if (value == nullptr) throw FieldError{name + " is missing, expected a string"};
    if (!value->is_string()) throw FieldError{name + " is " + excerpt(value->dump()) + ", expected a string"};
    return value->get<std::string>();
}

Ellipse ellipse_field(const Json& value, const std::string& name) {
    if (!value.is_array() || value.size() != 5) {
        throw FieldError{name + " is " + excerpt(value.dump()) +
                         ", expected [x, y, major radius, minor radius, angle]"};
    }
    const auto number = [&](std::size_t i) {
        return finite_number(&value[i], name + "[" + std::to_string(i) + "]");
    };
    return {{number(0), number(1)}, number(2), number(3), number(4)};
}

IdentityCandidate candidate_from_json(const Json& json, const std::string& name) {
    if (!json.is_object()) throw FieldError{name + " is " + excerpt(json.dump()) + ", expected an object"};
    IdentityCandidate candidate;
    if (const Json* value = optional_member(json, "identity")) {
        candidate.identity = text_field(value, name + ".identity");
    }
    candidate.image = text_field(member(json, "image"), name + ".image");
    candidate.distance = finite_number(member(json, "distance"), name + ".distance");
    return candidate;
}

Detection detection_from_json(const Json& json, const std::string& name) {
    if (!json.is_object()) throw FieldError{name + " is " + excerpt(json.dump()) + ", expected an object"};
    Detection detection;
    detection.box = box_field(member(json, "box"), name + ".box");
    detection.score = finite_number(member(json, "score"), name + ".score");
    if (const Json* value = optional_member(json, "track"))
        detection.details.edit().track = integer_field(*value, name + ".track", 0);
    if (const Json* value = optional_member(json, "followed"))
        detection.details.edit().followed = integer_field(*value, name + ".followed", 1);
    if (const Json* value = optional_member(json, "neighbors")) {
        detection.details.edit().neighbors = integer_field(*value, name + ".neighbors", 0);
    }
    if (const Json* value = optional_member(json, "stage")) {
        detection.details.edit().stage =
            integer_field(*value, name + ".stage", std::numeric_limits<int>::min());
    }
    if (const Json* value = optional_member(json, "stage_sum")) {
        detection.details.edit().stage_sum = finite_number(value, name + ".stage_sum");
    }
    if (const Json* points = optional_member(json, "landmarks")) {
        if (!points->is_array()) throw FieldError{name + ".landmarks is not a list of [x, y]"};
        for (std::size_t i = 0; i < points->size(); ++i) {
            const Json& point = (*points)[i];
            const std::string point_name = name + ".landmarks[" + std::to_string(i) + "]";
            if (!point.is_array() || point.size() != 2) {
                throw FieldError{point_name + " is " + excerpt(point.dump()) + ", expected [x, y]"};
            }
            detection.details.edit().landmarks.push_back(
                {finite_number(&point[0], point_name), finite_number(&point[1], point_name)});
        }
    }
    if (const Json* value = optional_member(json, "ellipse"))
        detection.details.edit().ellipse = ellipse_field(*value, name + ".ellipse");
    if (const Json* value = optional_member(json, "identity")) {
        detection.details.edit().identity = text_field(value, name + ".identity");
    }
    if (const Json* value = optional_member(json, "distance")) {
        detection.details.edit().distance = finite_number(value, name + ".distance");
    }
    if (const Json* candidates = optional_member(json, "candidates")) {
        if (!candidates->is_array()) throw FieldError{name + ".candidates is not a list of objects"};
        for (std::size_t i = 0; i < candidates->size(); ++i) {
            detection.details.edit().candidates.push_back(
                candidate_from_json((*candidates)[i], name + ".candidates[" + std::to_string(i) + "]"));
        }
    }
    return detection;
}

// Python's json.dump writes these tokens, which are not JSON, by default.
bool has_non_finite_token(std::string_view line) {
    return line.find("NaN") != std::string_view::npos || line.find("Infinity") != std::string_view::npos;
}

}  // namespace

ImageResult result_from_json(const Json& json) {
    if (!json.is_object()) throw FieldError{"expected a JSON object with \"image\" and \"detections\""};
    ImageResult result;
    result.image = text_field(member(json, "image"), "\"image\"");
    if (result.image.empty()) throw FieldError{"\"image\" is empty, expected the path of an image"};
    if (const Json* value = optional_member(json, "frame")) {
        result.frame =
            FrameTime{integer_field(*value, "\"frame\"", 0), finite_number(member(json, "time"), "\"time\"")};
    }
    if (const Json* value = optional_member(json, "width"))
        result.width = integer_field(*value, "\"width\"", 0);
    if (const Json* value = optional_member(json, "height"))
        result.height = integer_field(*value, "\"height\"", 0);
    if (const Json* value = optional_member(json, "damaged"))
        result.is_damaged = value->is_boolean() && value->get<bool>();
    if (const Json* value = optional_member(json, "pages"))
        result.pages = integer_field(*value, "\"pages\"", 1);
    if (const Json* value = optional_member(json, "status")) result.status = text_field(value, "\"status\"");
    if (!result.ok() && result.status.rfind("unreadable", 0) != 0) {
        throw FieldError{"\"status\" is \"" + excerpt(result.status) +
                         R"(", expected "ok" or "unreadable: why")"};
    }
    const Json* detections = member(json, "detections");
    if (detections == nullptr && result.ok()) {
        throw FieldError{"\"detections\" is missing, expected a list (an empty one if nothing was found)"};
    }
    if (detections == nullptr) return result;
    if (!detections->is_array()) {
        throw FieldError{"\"detections\" is " + excerpt(detections->dump()) + ", expected a list"};
    }
    if (!result.ok() && !detections->empty()) {
        throw FieldError{
            "the image is recorded as unreadable and yet has detections, expected one or the other"};
    }
    for (std::size_t i = 0; i < detections->size(); ++i) {
        const std::string name = "detections[" + std::to_string(i) + "]";
        result.detections.push_back(detection_from_json((*detections)[i], name));
        if (const Json* value = optional_member((*detections)[i], "crop")) {
            result.crops.resize(detections->size());
            result.crops[i] = text_field(value, name + ".crop");
        }
    }
    return result;
}

Certainty recognise_jsonl(const ResultsSource& source) {
    if (source.is_folder()) return Certainty::none;
    const std::string_view begin = source.begin();
    // Nothing at all is what a run leaves that was interrupted before its first image.
    return certain_if(begin.empty() || (begin.front() == '{' && !is_coco_data_set(begin)));
}

void read_jsonl(ResultsSource& source, KnownImages&, ResultsCollector& collector) {
    const std::string& file = source.path();
    const std::string& bytes = source.bytes();
    for_each_line(bytes, [&](std::size_t number, std::string_view line) {
        if (line.find_first_not_of(" \t") == std::string_view::npos) return;
        try {
            collector.add_record(result_from_json(parse_json(line)), file + ":" + std::to_string(number));
        } catch (const FieldError& error) {
            fail_at_line(file, number, line, error.what);
        } catch (const Json::exception& error) {
            const bool lacks_newline = line.data() + line.size() == bytes.data() + bytes.size();
            if (lacks_newline) {
                fail_at_line(
                    file, number, line,
                    "the last line is cut off, as an interrupted run leaves it, expected a complete JSON "
                    "object; remove the line or run the image again");
            }
            if (has_non_finite_token(line)) {
                fail_at_line(
                    file, number, line,
                    "NaN and Infinity are not JSON, expected finite numbers (" + json_reason(error) + ")");
            }
            fail_at_line(file, number, line,
                         "expected one JSON object per line (" + json_reason(error) + ")");
        }
    });
}

}  // namespace fovea::results_detail
