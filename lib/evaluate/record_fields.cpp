#include "lib/evaluate/record_fields.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/keypoints.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/evaluate/record.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/readers.hpp"

namespace fovea {
namespace record_detail {
namespace {

using results_detail::box_field;
using results_detail::FieldError;
using results_detail::finite_number;
using results_detail::member;

void append_numbers(std::string& text, std::initializer_list<double> numbers) {
    const char* separator = "[";
    for (const double number : numbers) {
        if (!std::isfinite(number))
            throw Error("A face has a coordinate that is not finite; correct the annotation.");
        text += separator;
        text += shortest_number(number);
        separator = ",";
    }
    text += ']';
}

void append_attributes(std::string& text, const std::vector<Attribute>& attributes) {
    // Pairs, not an object: a name may stand twice, and the order is the dataset's.
    text += "\"attributes\":[";
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        text += (i > 0 ? ",[" : "[") + quoted(attributes[i].name) + "," + quoted(attributes[i].value) + "]";
    }
    text += ']';
}

void append_face(std::string& text, const Face& face) {
    text += "{\"box\":";
    append_numbers(text, {face.box.x, face.box.y, face.box.w, face.box.h});
    if (face.ignore) text += ",\"ignore\":true";
    if (face.crowd) text += ",\"crowd\":true";
    if (face.ellipse) {
        const Ellipse& e = *face.ellipse;
        text += ",\"ellipse\":";
        append_numbers(text, {e.centre.x, e.centre.y, e.major_radius, e.minor_radius, e.angle_rad});
    }
    if (face.area) {
        text += ",\"area\":";
        append_numbers(text, {*face.area});
    }
    if (face.eyes) {
        text += ",\"eyes\":";
        append_numbers(text, {face.eyes->left.x, face.eyes->left.y, face.eyes->right.x, face.eyes->right.y});
    }
    if (!face.landmarks.empty()) {
        text += ",\"landmarks\":";
        const char* separator = "[";
        for (const Point& point : face.landmarks) {
            text += separator;
            append_numbers(text, {point.x, point.y});
            separator = ",";
        }
        text += ']';
    }
    if (face.keypoints.is_set()) {
        text += ",\"keypoints\":";
        const char* separator = "[";
        for (const Keypoint& keypoint : *face.keypoints) {
            text += separator;
            append_numbers(text, {keypoint.point.x, keypoint.point.y,
                                  static_cast<double>(visibility_number(keypoint.visibility))});
            separator = ",";
        }
        text += face.keypoints->empty() ? "[]" : "]";
    }
    if (!face.attributes.empty()) {
        text += ',';
        append_attributes(text, face.attributes);
    }
    text += '}';
}

const Json& list_of(const Json& object, const char* key) {
    const Json* value = member(object, key);
    if (value == nullptr || !value->is_array())
        throw FieldError{"\"" + std::string(key) + "\" is not a list"};
    return *value;
}

std::vector<double> numbers_of(const Json& object, const char* key, std::size_t count) {
    const Json& list = list_of(object, key);
    if (list.size() != count) {
        throw FieldError{"\"" + std::string(key) + "\" is not a list of " + counted(count, "number")};
    }
    std::vector<double> numbers;
    for (const Json& number : list) numbers.push_back(finite_number(&number, key));
    return numbers;
}

std::vector<Attribute> attributes_of(const Json& object) {
    std::vector<Attribute> attributes;
    if (member(object, "attributes") == nullptr) return attributes;
    for (const Json& pair : list_of(object, "attributes")) {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) {
            throw FieldError{"\"attributes\" is not a list of [name, value]"};
        }
        attributes.push_back({pair[0].get<std::string>(), pair[1].get<std::string>()});
    }
    return attributes;
}

bool truth_of(const Json& object, const char* key) {
    const Json* value = member(object, key);
    return value != nullptr && value->is_boolean() && value->get<bool>();
}

Face face_of(const Json& json) {
    if (!json.is_object()) throw FieldError{"a face is not an object"};
    Face face;
    // Boxes without area, and even of negative width, are evaluated as they are.
    const std::vector<double> box = numbers_of(json, "box", 4);
    face.box = {box[0], box[1], box[2], box[3]};
    face.ignore = truth_of(json, "ignore");
    face.crowd = truth_of(json, "crowd");
    if (member(json, "ellipse") != nullptr) {
        const auto n = numbers_of(json, "ellipse", 5);
        face.ellipse = Ellipse{{n[0], n[1]}, n[2], n[3], n[4]};
    }
    if (member(json, "area") != nullptr) face.area = numbers_of(json, "area", 1)[0];
    if (member(json, "eyes") != nullptr) {
        const auto n = numbers_of(json, "eyes", 4);
        face.eyes = Eyes{{n[0], n[1]}, {n[2], n[3]}};
    }
    if (member(json, "landmarks") != nullptr) {
        for (const Json& point : list_of(json, "landmarks")) {
            if (!point.is_array() || point.size() != 2)
                throw FieldError{"\"landmarks\" is not a list of [x, y]"};
            face.landmarks.push_back(
                {finite_number(&point[0], "landmarks"), finite_number(&point[1], "landmarks")});
        }
    }
    if (member(json, "keypoints") != nullptr) {
        const Json& list = list_of(json, "keypoints");
        for (const Json& point : list) {
            if (!point.is_array() || point.size() != 3)
                throw FieldError{"\"keypoints\" is not a list of [x, y, visibility]"};
            face.keypoints.edit().push_back(
                {{finite_number(&point[0], "keypoints"), finite_number(&point[1], "keypoints")},
                 visibility_from(finite_number(&point[2], "keypoints"))});
        }
    }
    face.attributes = attributes_of(json);
    return face;
}

}  // namespace

std::string quoted(const std::string& text) {
    return compact_text(Json(text));
}

std::string text_of(const Json& object, const char* key) {
    const Json* value = object.is_object() ? member(object, key) : nullptr;
    if (value == nullptr || !value->is_string())
        throw FieldError{"\"" + std::string(key) + "\" is not a text"};
    return value->get<std::string>();
}

std::int64_t whole_of(const Json& object, const char* key) {
    const Json* value = object.is_object() ? member(object, key) : nullptr;
    if (value == nullptr || !value->is_number_integer() || value->get<std::int64_t>() < 0) {
        throw FieldError{"\"" + std::string(key) + "\" is not a whole number from 0 on"};
    }
    return value->get<std::int64_t>();
}

Json options_to_json(const DetectionEvaluationOptions& options) {
    Json json{{"protocol", record_of(options.protocol).name},
              {"mode", mode_name(options.mode)},
              {"iou_threshold", options.iou_threshold},
              {"false_positive_points", options.false_positive_points},
              {"bootstrap_resamples", options.bootstrap_resamples},
              {"bootstrap_seed", options.bootstrap_seed}};
    if (!options.oks_sigmas.empty()) json["oks_sigmas"] = options.oks_sigmas;
    return json;
}

DetectionEvaluationOptions options_from_json(const Json& json) {
    DetectionEvaluationOptions options;
    const std::string protocol = text_of(json, "protocol");
    const ProtocolRecord* const known = find_protocol(protocol);
    if (known == nullptr)
        throw FieldError{"there is no protocol '" + excerpt(protocol) + "' in this release"};
    options.protocol = known->protocol();
    const std::string mode = text_of(json, "mode");
    const std::optional<ProtocolMode> same = find_mode(mode);
    if (!same) throw FieldError{"there is no mode '" + excerpt(mode) + "' in this release"};
    options.mode = *same;
    options.iou_threshold = finite_number(member(json, "iou_threshold"), "iou_threshold");
    if (member(json, "oks_sigmas") != nullptr) {
        for (const Json& sigma : list_of(json, "oks_sigmas"))
            options.oks_sigmas.push_back(finite_number(&sigma, "oks_sigmas"));
    }
    options.false_positive_points.clear();
    for (const Json& point : list_of(json, "false_positive_points")) {
        options.false_positive_points.push_back(point.get<int>());
    }
    options.bootstrap_resamples = static_cast<int>(whole_of(json, "bootstrap_resamples"));
    const Json* seed = member(json, "bootstrap_seed");
    if (seed == nullptr || !seed->is_number_unsigned())
        throw FieldError{"\"bootstrap_seed\" is not a whole number"};
    options.bootstrap_seed = seed->get<std::uint64_t>();
    return options;
}

Sample ground_truth_of(const Json& line) {
    Sample sample;
    if (member(line, "size") != nullptr) {
        const auto size = numbers_of(line, "size", 2);
        sample.size = ImageSize{static_cast<int>(size[0]), static_cast<int>(size[1])};
    }
    sample.attributes = attributes_of(line);
    for (const Json& face : list_of(line, "faces")) sample.faces.push_back(face_of(face));
    return sample;
}

}  // namespace record_detail

std::string ground_truth_text(const Sample& sample) {
    using namespace record_detail;
    std::string text;
    if (sample.size) {
        text += "\"size\":";
        append_numbers(text,
                       {static_cast<double>(sample.size->width), static_cast<double>(sample.size->height)});
        text += ',';
    }
    if (!sample.attributes.empty()) {
        append_attributes(text, sample.attributes);
        text += ',';
    }
    text += "\"faces\":[";
    for (std::size_t i = 0; i < sample.faces.size(); ++i) {
        if (i > 0) text += ',';
        append_face(text, sample.faces[i]);
    }
    return text + "]";
}

}  // namespace fovea
