#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "lib/core/error.hpp"
#include "lib/dataset/convert.hpp"
#include "lib/dataset/text_file.hpp"

namespace fovea {
namespace {

constexpr std::array mit_cmu_points{"left_eye",          "right_eye",    "nose",
                                    "left_mouth_corner", "mouth_centre", "right_mouth_corner"};

/// How many landmarks the faces have that have any; 0 if none has or they differ.
std::size_t common_landmark_count(const Dataset& dataset, std::size_t& faces_with_other_counts) {
    std::map<std::size_t, std::size_t> faces_by_count;
    for (const Sample& sample : dataset.samples) {
        for (const Face& face : sample.faces) {
            if (!face.landmarks.empty()) ++faces_by_count[face.landmarks.size()];
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

Json annotation(const Sample& sample, const Face& face, std::size_t keypoints) {
    const auto number = [&](double value) { return require_finite(value, sample); };
    Json json;
    json["bbox"] =
        Json::array({number(face.box.x), number(face.box.y), number(face.box.w), number(face.box.h)});
    json["area"] = number(face.box.w * face.box.h);
    json["iscrowd"] = 0;
    if (face.ignore) json["ignore"] = 1;
    if (keypoints > 0) {
        Json points = Json::array();
        for (const Point& point : face.landmarks) {
            points.push_back(number(point.x));
            points.push_back(number(point.y));
            points.push_back(2);
        }
        if (face.landmarks.empty()) points = std::vector<int>(3 * keypoints, 0);
        json["keypoints"] = std::move(points);
        json["num_keypoints"] = face.landmarks.size();
    }
    return json;
}

class LossCounter {
  public:
    void add(bool lost) { count_ += lost ? 1 : 0; }
    void report(std::vector<std::string>& losses, const std::string& singular, const std::string& plural,
                const std::string& sentence) const {
        if (count_ > 0) losses.push_back(counted(count_, singular, plural) + " " + sentence);
    }

  private:
    std::size_t count_ = 0;
};

}  // namespace

Json dataset_to_coco_json(const Dataset& dataset, std::vector<std::string>& losses,
                          const ImageSizeLookup& size_of) {
    std::size_t dropped_landmarks = 0;
    const std::size_t keypoints = common_landmark_count(dataset, dropped_landmarks);
    LossCounter unknown_size;
    LossCounter subjects;
    LossCounter unannotated;
    LossCounter image_eyes;
    LossCounter face_eyes;
    LossCounter ignored;

    Json images = Json::array();
    Json annotations = Json::array();
    for (const Sample& sample : dataset.samples) {
        const std::optional<ImageSize> size = size_of ? size_of(sample) : std::nullopt;
        Json image;
        image["id"] = images.size() + 1;
        image["file_name"] = require_utf8(sample.image);
        image["width"] = size ? size->width : 0;
        image["height"] = size ? size->height : 0;
        for (const Face& face : sample.faces) {
            Json json;
            json["id"] = annotations.size() + 1;
            json["image_id"] = image["id"];
            json["category_id"] = 1;
            json.update(annotation(sample, face, keypoints));
            annotations.push_back(std::move(json));
            face_eyes.add(face.eyes.has_value());
            ignored.add(face.ignore);
        }
        images.push_back(std::move(image));
        unknown_size.add(!size);
        subjects.add(!sample.subject.empty());
        unannotated.add(!sample.annotated);
        image_eyes.add(sample.eyes.has_value());
    }

    Json category;
    category["id"] = 1;
    category["name"] = "face";
    category["supercategory"] = "person";
    if (keypoints > 0) {
        category["keypoints"] = keypoint_names(dataset, keypoints);
        category["skeleton"] = Json::array();
    }

    unknown_size.report(losses, "image has", "images have",
                        "width and height 0 because the size is not known.");
    unannotated.report(losses, "image is", "images are",
                       "not annotated; COCO cannot tell that from showing no face.");
    ignored.report(losses, "face carries", "faces carry",
                   "\"ignore\": 1, which pycocotools overwrites with iscrowd = 0 and then counts as a face.");
    subjects.report(losses, "image loses", "images lose", "the subject.");
    image_eyes.report(losses, "image loses", "images lose", "the eyes given for the image as a whole.");
    face_eyes.report(losses, "face loses", "faces lose",
                     "the eyes (landmarks, where there are some, are kept).");
    if (dropped_landmarks > 0) {
        losses.push_back(
            counted(dropped_landmarks, "face loses", "faces lose") +
            " the landmarks: they differ in number, and a COCO category has one number of keypoints.");
    }

    Json json;
    json["info"] = Json{{"description", require_utf8(dataset.name)}};
    json["images"] = std::move(images);
    json["annotations"] = std::move(annotations);
    json["categories"] = Json::array({std::move(category)});
    return json;
}

}  // namespace fovea
