#include "lib/dataset/fovea_json.hpp"

#include <cmath>
#include <limits>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/keypoints.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/json/field.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr const char* format_name = "fovea-dataset";
constexpr int format_version = 1;

double json_number(double value) {
    if (!std::isfinite(value))
        throw Error("A coordinate of the dataset is not a finite number; JSON cannot hold it.");
    return value;
}

Json to_json(const Eyes& eyes) {
    return Json::array({json_number(eyes.left.x), json_number(eyes.left.y), json_number(eyes.right.x),
                        json_number(eyes.right.y)});
}

Json to_json(const std::vector<Attribute>& attributes) {
    Json json = Json::object();
    for (const Attribute& attribute : attributes) {
        if (json.contains(attribute.name)) {
            throw Error("The dataset gives the attribute '" + excerpt(attribute.name) +
                        "' twice to one face or image; JSON can hold it once.");
        }
        json[require_utf8(attribute.name)] = require_utf8(attribute.value);
    }
    return json;
}

Json to_json(const Ellipse& ellipse) {
    return Json::array({json_number(ellipse.centre.x), json_number(ellipse.centre.y),
                        json_number(ellipse.major_radius), json_number(ellipse.minor_radius),
                        json_number(ellipse.angle_rad)});
}

Json to_json(const Face& face) {
    Json json;
    json["box"] = Json::array(
        {json_number(face.box.x), json_number(face.box.y), json_number(face.box.w), json_number(face.box.h)});
    if (face.ignore) json["ignore"] = true;
    if (face.crowd) json["crowd"] = true;
    if (face.eyes) json["eyes"] = to_json(*face.eyes);
    if (!face.landmarks.empty()) {
        Json& landmarks = json["landmarks"] = Json::array();
        for (const Point& point : face.landmarks) {
            landmarks.push_back(Json::array({json_number(point.x), json_number(point.y)}));
        }
    }
    if (face.keypoints.is_set()) {
        Json& keypoints = json["keypoints"] = Json::array();
        for (const Keypoint& keypoint : *face.keypoints) {
            keypoints.push_back(Json::array({json_number(keypoint.point.x), json_number(keypoint.point.y),
                                             visibility_number(keypoint.visibility)}));
        }
    }
    if (face.ellipse) json["ellipse"] = to_json(*face.ellipse);
    if (face.area) json["area"] = json_number(*face.area);
    if (!face.attributes.empty()) json["attributes"] = to_json(face.attributes);
    return json;
}

constexpr double max_pixels = 1e7;

std::vector<double> pixels(const JsonPlace& place, std::size_t count, const std::string& expected) {
    std::vector<double> values = place.numbers(count, expected);
    for (const double value : values) {
        if (!(std::abs(value) <= max_pixels)) place.fail("numbers within 10 million pixels");
    }
    return values;
}

Eyes eyes_from(const JsonPlace& place) {
    const auto n = pixels(place, 4, "left and right eye [lx, ly, rx, ry]");
    return {{n[0], n[1]}, {n[2], n[3]}};
}

/// A mark, which decides what counts.
bool mark_from(const JsonPlace& place) {
    const Json& json = place.json();
    if (json.is_boolean()) return json.get<bool>();
    const auto mark = spelled_mark(json.is_string() ? json.get<std::string>() : compact_text(json));
    if (!mark) place.fail(std::string(mark_spellings));
    return *mark;
}

ImageSize size_from(const JsonPlace& place) {
    if (place.array_size() != 2) place.fail("a size [width, height]");
    const auto side = [&](std::size_t i) {
        return static_cast<int>(place[i].spelled_integer(1, std::numeric_limits<int>::max()));
    };
    return {side(0), side(1)};
}

std::vector<Attribute> attributes_from(const JsonPlace& place) {
    if (!place.json().is_object()) place.fail(R"(attributes {"name": "value"})");
    std::vector<Attribute> attributes;
    for (const auto& item : place.json().items()) {
        const Json& value = item.value();
        if (value.is_null()) continue;
        attributes.push_back(
            {item.key(), value.is_string() ? value.get<std::string>() : compact_text(value)});
    }
    return attributes;
}

Ellipse ellipse_from(const JsonPlace& place) {
    const auto n = pixels(place, 5, "an ellipse [cx, cy, major radius, minor radius, angle]");
    if (n[2] < 0 || n[3] < 0) place.fail("radii that are not negative");
    return {{n[0], n[1]}, n[2], n[3], n[4]};
}

Point point_from(const JsonPlace& place) {
    const auto n = pixels(place, 2, "a point [x, y]");
    return {n[0], n[1]};
}

Keypoint keypoint_from(const JsonPlace& place) {
    const auto n = pixels(place, 3, "a point [x, y, visibility]");
    return {{n[0], n[1]}, visibility_from(n[2])};
}

Face face_from(const JsonPlace& place) {
    place.require_keys(
        {"box"}, {"ignore", "crowd", "eyes", "landmarks", "keypoints", "ellipse", "area", "attributes"});
    Face face;
    const auto box = pixels(place["box"], 4, "a box [x, y, w, h]");
    face.box = {box[0], box[1], box[2], box[3]};
    if (const auto ignore = place.given("ignore")) face.ignore = mark_from(*ignore);
    if (const auto crowd = place.given("crowd")) face.crowd = mark_from(*crowd);
    if (const auto eyes = place.given("eyes")) face.eyes = eyes_from(*eyes);
    if (const auto landmarks = place.given("landmarks")) face.landmarks = landmarks->list_of(point_from);
    if (const auto keypoints = place.given("keypoints")) {
        for (const Keypoint& keypoint : keypoints->list_of(keypoint_from))
            face.keypoints.edit().push_back(keypoint);
    }
    if (const auto ellipse = place.given("ellipse")) face.ellipse = ellipse_from(*ellipse);
    if (const auto area = place.given("area")) face.area = area->number();
    if (const auto attributes = place.given("attributes")) face.attributes = attributes_from(*attributes);
    return face;
}

Sample sample_from(const JsonPlace& place, const fs::path& root) {
    place.require_keys({"image", "annotated", "faces"}, {"path", "subject", "eyes", "size", "attributes"});
    Sample sample;
    sample.image = place["image"].text();
    if (sample.image.empty()) place["image"].fail("the path of an image");
    const auto path = place.given("path");
    sample.path = path ? fs::path(path->text()) : root / sample.image;
    if (const auto subject = place.given("subject")) sample.subject = subject->text();
    if (const auto eyes = place.given("eyes")) sample.eyes = eyes_from(*eyes);
    if (const auto size = place.given("size")) sample.size = size_from(*size);
    if (const auto attributes = place.given("attributes")) sample.attributes = attributes_from(*attributes);
    sample.annotated = mark_from(place["annotated"]);
    sample.faces = place["faces"].list_of(face_from);
    return sample;
}

ImagePair pair_from(const JsonPlace& place, std::size_t images) {
    if (place.array_size() != 4) place.fail("a pair [first, second, same, fold]");
    const auto last = static_cast<std::int64_t>(images) - 1;
    ImagePair pair;
    pair.first = static_cast<std::size_t>(place[0].spelled_integer(0, last));
    pair.second = static_cast<std::size_t>(place[1].spelled_integer(0, last));
    pair.same = mark_from(place[2]);
    pair.fold = static_cast<int>(place[3].spelled_integer(0, std::numeric_limits<int>::max()));
    return pair;
}

}  // namespace

Json dataset_to_fovea_json(const Dataset& dataset) {
    Json json;
    json["format"] = format_name;
    json["version"] = format_version;
    json["name"] = require_utf8(dataset.name);
    json["root"] = require_utf8(dataset.root.string());
    Json& images = json["images"] = Json::array();
    for (const Sample& sample : dataset.samples) {
        Json image;
        image["image"] = require_utf8(sample.image);
        if (sample.path != dataset.root / sample.image) image["path"] = require_utf8(sample.path.string());
        if (!sample.subject.empty()) image["subject"] = require_utf8(sample.subject);
        if (sample.eyes) image["eyes"] = to_json(*sample.eyes);
        if (sample.size) image["size"] = Json::array({sample.size->width, sample.size->height});
        if (!sample.attributes.empty()) image["attributes"] = to_json(sample.attributes);
        image["annotated"] = sample.annotated;
        Json& faces = image["faces"] = Json::array();
        for (const Face& face : sample.faces) faces.push_back(to_json(face));
        images.push_back(std::move(image));
    }
    for (const ImagePair& pair : dataset.pairs) {
        json["pairs"].push_back(Json::array({pair.first, pair.second, pair.same, pair.fold}));
    }
    return json;
}

Dataset dataset_from_fovea_json(const Json& json, const std::string& origin) {
    const JsonPlace place(json, origin);
    if (!json.is_object() || !json.contains("format")) {
        throw Error(origin + ": this JSON is no dataset of this program, which says \"format\": \"" +
                    format_name + "\"; a dataset of COCO is read as coco:FILE.");
    }
    require_format(place, format_name, format_version);
    place.require_keys({"format", "version", "name", "root", "images"}, {"pairs"});
    Dataset dataset;
    dataset.format = "fovea";
    dataset.name = place["name"].text();
    dataset.root = place["root"].text();
    std::set<std::string> names;
    const JsonPlace images = place["images"];
    for (std::size_t i = 0; i < images.array_size(); ++i) {
        dataset.samples.push_back(sample_from(images[i], dataset.root));
        if (!names.insert(dataset.samples.back().image).second) {
            images[i]["image"].fail("an image that was not named before");
        }
    }
    if (const auto pairs = place.given("pairs")) {
        dataset.pairs =
            pairs->list_of([&](const JsonPlace& pair) { return pair_from(pair, dataset.samples.size()); });
    }
    return dataset;
}

}  // namespace fovea
