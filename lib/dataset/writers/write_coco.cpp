#include <array>
#include <cmath>
#include <map>

#include "lib/core/error.hpp"
#include "lib/core/keypoints.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/dataset/writers/writers.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

constexpr std::array mit_cmu_points{"left_eye",          "right_eye",    "nose",
                                    "left_mouth_corner", "mouth_centre", "right_mouth_corner"};

/// How many landmarks the faces have that have any; 0 if none has or they differ.
std::size_t common_landmark_count(const Dataset& dataset, std::size_t& faces_with_other_counts) {
    std::map<std::size_t, std::size_t> faces_by_count;
    for (const Sample& sample : dataset.samples) {
        for (const Face& face : sample.faces) {
            if (keypoints_of(face) > 0) ++faces_by_count[keypoints_of(face)];
        }
    }
    faces_with_other_counts = 0;
    if (faces_by_count.size() == 1) return faces_by_count.begin()->first;
    for (const auto& [count, faces] : faces_by_count) faces_with_other_counts += faces;
    return 0;
}

Json keypoint_names(const Dataset& dataset, std::size_t count) {
    Json names = Json::array();
    const bool mit_cmu = dataset.format == "mit-cmu" && count == mit_cmu_points.size();
    for (std::size_t i = 0; i < count; ++i) {
        names.push_back(mit_cmu ? std::string(mit_cmu_points[i]) : "point_" + std::to_string(i));
    }
    return names;
}

double require_finite(double value, const Sample& sample) {
    if (!std::isfinite(value)) {
        throw Error("A coordinate of '" + sample.image + "' is not a finite number; JSON cannot hold it.");
    }
    return value;
}

/// The image ids that the dataset was read with, where every image has one and no two have the same; else
/// none.
std::vector<RecordId> given_ids(const Dataset& dataset) {
    std::vector<RecordId> ids;
    RecordIds seen;
    for (const Sample& sample : dataset.samples) {
        const std::string* const given = find_attribute(sample.attributes, id_attribute);
        if (given == nullptr || given->empty()) return {};
        ids.push_back(id_of_text(*given));
        if (seen.place_of(ids.back()) + 1 != ids.size()) return {};
    }
    return ids;
}

/// {"name": "value", ...}; \param left_out the name of an attribute that stands elsewhere.
Json attributes_json(const std::vector<Attribute>& attributes, std::string_view left_out = {}) {
    Json json = Json::object();
    for (const Attribute& attribute : attributes) {
        if (!left_out.empty() && attribute.name == left_out) continue;
        json[require_utf8(attribute.name)] = require_utf8(attribute.value);
    }
    return json;
}

Json annotation(const Sample& sample, const Face& face, std::size_t keypoints) {
    const auto number = [&](double value) { return require_finite(value, sample); };
    Json json;
    json["bbox"] =
        Json::array({number(face.box.x), number(face.box.y), number(face.box.w), number(face.box.h)});
    json["area"] = number(face.area ? *face.area : face.box.w * face.box.h);
    json["iscrowd"] = face.crowd ? 1 : 0;
    if (face.ignore && !face.crowd) json["ignore"] = 1;
    if (keypoints > 0) {
        Json points = Json::array();
        for (std::size_t i = 0; i < keypoints_of(face); ++i) {
            const Keypoint point = keypoint(face, i);
            points.push_back(number(point.point.x));
            points.push_back(number(point.point.y));
            points.push_back(visibility_number(point.visibility));
        }
        if (points.empty()) points = std::vector<int>(3 * keypoints, 0);
        json["keypoints"] = std::move(points);
        json["num_keypoints"] = labelled_keypoints(face);
    }
    Json attributes = attributes_json(face.attributes, id_attribute);
    // Readers make it of the mark.
    if (face.ignore && !face.crowd) attributes.erase("ignore");
    if (!attributes.empty()) json["attributes"] = std::move(attributes);
    return json;
}

}  // namespace

std::vector<RecordId> coco_image_ids(const Dataset& dataset) {
    std::vector<RecordId> ids = given_ids(dataset);
    if (!ids.empty()) return ids;
    for (std::size_t i = 0; i < dataset.samples.size(); ++i)
        ids.push_back({static_cast<std::int64_t>(i) + 1, {}});
    return ids;
}

/// COCO object-detection JSON: images, annotations and the one category 1 "face".
///
/// Ids of images are those of coco_image_ids, those of annotations count from 1 (id 0 would read as
/// "unmatched" in pycocotools). bbox = [x, y, w, h], area = Face::area or w * h, iscrowd = 1 for crowds, and
/// "ignore": 1 where a face is marked so and is no crowd. The category names as many keypoints as a face has
/// if all faces with landmarks have the same number of them; each face then gives [x, y, 2] for each
/// (visible), or zeros if it has none. "attributes" (an object; no key of COCO's) holds those of faces
/// and images.
WrittenDataset write_coco(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses) {
    std::size_t dropped_landmarks = 0;
    const std::size_t keypoints = common_landmark_count(dataset, dropped_landmarks);
    const std::vector<RecordId> ids = coco_image_ids(dataset);
    const bool keeps_ids = !given_ids(dataset).empty();
    LossCounter unknown_size;
    LossCounter unannotated;
    LossCounter ignored, ids_of_faces;

    Json images = Json::array();
    Json annotations = Json::array();
    for (const Sample& sample : dataset.samples) {
        const std::optional<ImageSize> size = size_of_sample(sample, size_of);
        Json image;
        const RecordId& id = ids[images.size()];
        image["id"] = id.text.empty() ? Json(id.number) : Json(require_utf8(id.text));
        image["file_name"] = require_utf8(sample.image);
        image["width"] = size ? size->width : 0;
        image["height"] = size ? size->height : 0;
        Json attributes = attributes_json(sample.attributes, keeps_ids ? id_attribute : "");
        if (!attributes.empty()) image["attributes"] = std::move(attributes);
        for (const Face& face : sample.faces) {
            Json json;
            json["id"] = annotations.size() + 1;
            json["image_id"] = image["id"];
            json["category_id"] = 1;
            json.update(annotation(sample, face, keypoints));
            annotations.push_back(std::move(json));
            ignored.add(face.ignore && !face.crowd);
            ids_of_faces.add(find_attribute(face.attributes, id_attribute) != nullptr);
        }
        images.push_back(std::move(image));
        unknown_size.add(!size);
        unannotated.add(!sample.annotated);
    }

    Json category;
    category["id"] = 1;
    category["name"] = "face";
    category["supercategory"] = "person";
    if (keypoints > 0) {
        category["keypoints"] = keypoint_names(dataset, keypoints);
        category["skeleton"] = Json::array();
    }

    ids_of_faces.report(losses, "face loses", "faces lose", "the attribute 'id': ids count from 1.");
    unknown_size.report(losses, "image has", "images have",
                        "width and height 0 because the size is not known.");
    unannotated.report(losses, "image is", "images are",
                       "not annotated; COCO cannot tell that from showing no face.");
    ignored.report(losses, "face carries", "faces carry",
                   "\"ignore\": 1, which pycocotools overwrites with iscrowd = 0 and then counts as a face.");
    if (dropped_landmarks > 0) {
        losses.push_back(
            counted(dropped_landmarks, "face loses", "faces lose") +
            " the landmarks: they differ in number, and a COCO category has one number of keypoints.");
    }

    Json json;
    json["info"] = Json{{"description", require_utf8(dataset.name)}};
    const std::size_t image_count = images.size(), face_count = annotations.size();
    json["images"] = std::move(images);
    json["annotations"] = std::move(annotations);
    json["categories"] = Json::array({std::move(category)});
    return {{false, {{"", indented_text(json) + "\n"}}}, image_count, face_count};
}

}  // namespace fovea
