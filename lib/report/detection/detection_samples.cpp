#include <cmath>
#include <map>

#include "lib/core/text.hpp"
#include "lib/evaluate/analysis/error_breakdown.hpp"
#include "lib/json/json.hpp"
#include "lib/report/detection/detection_content.hpp"
#include "lib/report/page/sample_pictures.hpp"

namespace fovea::report {
namespace {

constexpr const char* samples_file = "samples.js";

/// The outcomes by their numbers in lib/report/viewer/README.md.
enum class SampleOutcome { found, false_alarm, duplicate, badly_placed, ignored };

/// Faces and detections as columns of places.
Json new_boxes() {
    Json json;
    for (const char* key : {"image", "x", "y", "width", "height"}) json[key] = Json::array();
    return json;
}

double tenths(double pixels) {
    return std::isfinite(pixels) ? std::round(10 * pixels) / 10 : 0;
}

void add_box(Json& json, std::size_t image, const Box& box) {
    json["image"].push_back(image);
    json["x"].push_back(tenths(box.x));
    json["y"].push_back(tenths(box.y));
    json["width"].push_back(tenths(box.w));
    json["height"].push_back(tenths(box.h));
}

SampleOutcome outcome_of(const DetectionEvaluation& e, const ImageEvaluation& image, std::size_t detection) {
    switch (image.outcomes.at(detection)) {
        case DetectionMatch::true_positive:
            return SampleOutcome::found;
        case DetectionMatch::ignored:
            return SampleOutcome::ignored;
        case DetectionMatch::false_positive:
            break;
    }
    const double iou = detection < image.best_iou.size() ? image.best_iou[detection] : 0;
    if (iou >= e.options.iou_threshold) return SampleOutcome::duplicate;
    return iou >= background_iou ? SampleOutcome::badly_placed : SampleOutcome::false_alarm;
}

/// The place of each sample's first face among all faces of the evaluated images.
using FirstFaces = std::map<std::size_t, std::size_t>;

Json detections_json(const DetectorsCompared& of, const DetectionEvaluation& e,
                     const FirstFaces& first_faces) {
    Json json = new_boxes();
    for (const char* key : {"score", "outcome", "face", "iou"}) json[key] = Json::array();
    for (std::size_t i = 0; i < e.image_outcomes.size(); ++i) {
        const ImageEvaluation& image = e.image_outcomes[i];
        const Sample& sample = of.dataset.samples.at(image.sample);
        std::vector<long long> face_of(image.detections.size(), -1);
        for (std::size_t f = 0; f < sample.faces.size() && f < image.face_match.size(); ++f) {
            if (image.face_match[f] >= 0)
                face_of.at(static_cast<std::size_t>(image.face_match[f])) =
                    static_cast<long long>(first_faces.at(image.sample) + f);
        }
        for (std::size_t d = 0; d < image.detections.size(); ++d) {
            const Detection& detection = image.detections[d];
            add_box(json, i, detection.box);
            json["score"].push_back(detection.score);
            json["outcome"].push_back(static_cast<int>(outcome_of(e, image, d)));
            json["face"].push_back(face_of[d]);
            json["iou"].push_back(d < image.best_iou.size() ? std::round(1000 * image.best_iou[d]) / 1000
                                                            : 0);
        }
    }
    return json;
}

/// Attributes of faces and of their images, a column each; a face without one has null.
void add_attributes(Json& faces, std::size_t face, const std::vector<Attribute>& attributes) {
    for (const Attribute& attribute : attributes) {
        Json& column = faces["attributes"][valid_utf8(attribute.name)];
        while (column.size() < face) column.push_back(nullptr);
        if (column.size() == face) column.push_back(valid_utf8(attribute.value));
    }
}

}  // namespace

std::string add_samples(StagedFiles& files, const DetectorsCompared& of) {
    if (of.context.pictures.pictures == 0) return {};
    const std::vector<ImageEvaluation>& images = of.evaluations[0].image_outcomes;
    std::vector<std::size_t> samples;
    for (const ImageEvaluation& image : images) samples.push_back(image.sample);
    const std::vector<SamplePicture> pictures =
        add_sample_pictures(files, of.dataset, samples, of.context.pictures, of.context.decode);
    Json data{{"images",
               {{"name", Json::array()},
                {"width", Json::array()},
                {"height", Json::array()},
                {"picture", Json::array()}}},
              {"faces", new_boxes()},
              {"detections", Json::array()}};
    Json& faces = data["faces"];
    faces["ignored"] = Json::array();
    faces["attributes"] = Json::object();
    FirstFaces first_faces;
    std::size_t count = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const Sample& sample = of.dataset.samples.at(images[i].sample);
        const std::optional<ImageSize> size = pictures[i].size        ? pictures[i].size
                                              : images[i].result_size ? images[i].result_size
                                                                      : sample.size;
        data["images"]["name"].push_back(valid_utf8(sample.image));
        data["images"]["width"].push_back(size ? size->width : 0);
        data["images"]["height"].push_back(size ? size->height : 0);
        data["images"]["picture"].push_back(pictures[i].address.empty() ? Json() : Json(pictures[i].address));
        first_faces[images[i].sample] = count;
        for (std::size_t f = 0; f < sample.faces.size(); ++f, ++count) {
            add_box(faces, i, sample.faces[f].box);
            faces["ignored"].push_back(is_ignored(images[i], f) ? 1 : 0);
            add_attributes(faces, count, sample.faces[f].attributes);
            add_attributes(faces, count, sample.attributes);
        }
    }
    for (auto& [name, column] : faces["attributes"].items()) {
        while (column.size() < count) column.push_back(nullptr);
    }
    for (const DetectionEvaluation& e : of.evaluations)
        data["detections"].push_back(detections_json(of, e, first_faces));
    files.add(samples_file, "foveaSamples(" + data.dump() + ");\n");
    return samples_file;
}

}  // namespace fovea::report
