#include "lib/evaluate/record_fields.hpp"

#include <cmath>
#include <limits>

#include "lib/core/error.hpp"
#include "lib/core/keypoints.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/evaluate/record.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace record_detail {
namespace {

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

Point point_at(const JsonPlace& place) {
    const std::vector<double> n = place.numbers(2, "[x, y]");
    return {n[0], n[1]};
}

Keypoint keypoint_at(const JsonPlace& place) {
    const std::vector<double> n = place.numbers(3, "[x, y, visibility]");
    return {{n[0], n[1]}, visibility_from(n[2])};
}

Attribute attribute_at(const JsonPlace& place) {
    if (place.array_size() != 2) place.fail("[name, value]");
    return {place[0].text(), place[1].text()};
}

std::vector<Attribute> attributes_of(const JsonPlace& object) {
    const auto attributes = object.find("attributes");
    return attributes ? attributes->list_of(attribute_at) : std::vector<Attribute>{};
}

bool mark_of(const JsonPlace& object, const char* key) {
    const auto mark = object.find(key);
    return mark && mark->truth();
}

Face face_at(const JsonPlace& place) {
    Face face;
    // Boxes without area, and even of negative width, are evaluated as they are.
    const std::vector<double> box = place["box"].numbers(4, "[x, y, width, height]");
    face.box = {box[0], box[1], box[2], box[3]};
    face.ignore = mark_of(place, "ignore");
    face.crowd = mark_of(place, "crowd");
    if (const auto ellipse = place.find("ellipse")) {
        const auto n = ellipse->numbers(5, "[x, y, major radius, minor radius, angle]");
        face.ellipse = Ellipse{{n[0], n[1]}, n[2], n[3], n[4]};
    }
    if (const auto area = place.find("area")) face.area = area->numbers(1, "[area]")[0];
    if (const auto eyes = place.find("eyes")) {
        const auto n = eyes->numbers(4, "[left x, left y, right x, right y]");
        face.eyes = Eyes{{n[0], n[1]}, {n[2], n[3]}};
    }
    if (const auto landmarks = place.find("landmarks")) face.landmarks = landmarks->list_of(point_at);
    if (const auto keypoints = place.find("keypoints")) {
        for (const Keypoint& keypoint : keypoints->list_of(keypoint_at))
            face.keypoints.edit().push_back(keypoint);
    }
    face.attributes = attributes_of(place);
    return face;
}

}  // namespace

std::string quoted(const std::string& text) {
    return compact_text(Json(text));
}

void describe_options(FieldVisitor& visitor, DetectionEvaluationOptions& options) {
    std::vector<std::string> modes;
    for (const ProtocolMode mode : {ProtocolMode::strict, ProtocolMode::corrected, ProtocolMode::port})
        modes.push_back(mode_name(mode));
    visitor.value({.key = "protocol"},
                  NamedValue{protocol_names(), [&options] { return record_of(options.protocol).name; },
                             [&options](const std::string& name) {
                                 options.protocol = find_protocol(name)->protocol();
                             }});
    visitor.value({.key = "mode"},
                  NamedValue{modes, [&options] { return mode_name(options.mode); },
                             [&options](const std::string& name) { options.mode = *find_mode(name); }});
    visitor.value({.key = "iou_threshold"}, &options.iou_threshold);
    visitor.value({.key = "false_positive_points"}, &options.false_positive_points);
    visitor.value({.key = "bootstrap_resamples", .range = at_least(0)}, &options.bootstrap_resamples);
    visitor.value({.key = "bootstrap_seed"}, &options.bootstrap_seed);
    visitor.value({.key = "oks_sigmas", .presence = Presence::optional}, &options.oks_sigmas);
}

Sample ground_truth_of(const JsonPlace& line) {
    Sample sample;
    if (const auto size = line.find("size")) {
        const auto sides = size->integers(2, 0, std::numeric_limits<int>::max());
        sample.size = ImageSize{static_cast<int>(sides[0]), static_cast<int>(sides[1])};
    }
    sample.attributes = attributes_of(line);
    sample.faces = line["faces"].list_of(face_at);
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
