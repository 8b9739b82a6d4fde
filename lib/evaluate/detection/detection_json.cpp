#include "lib/evaluate/detection/detection_json.hpp"

#include "lib/core/text.hpp"
#include "lib/evaluate/detection/at_threshold.hpp"
#include "lib/evaluate/detection/count_quantities.hpp"
#include "lib/evaluate/detection/metrics.hpp"
#include "lib/evaluate/detection/protocol_modes.hpp"
#include "lib/json/json.hpp"
#include "lib/numbers/json/numbers_json.hpp"

namespace fovea {
namespace {

Json protocol_to_json(const DetectionEvaluationOptions& options) {
    Json json;
    json["rule"] = protocol_name(options.protocol);
    if (options.protocol == DetectionProtocol::iou) {
        json["iou_threshold"] = options.iou_threshold;
    } else if (options.protocol == DetectionProtocol::mit_cmu) {
        json["centre_distance_in_face_widths"] = 0.3;
        json["width_tolerance"] = 0.5;
    }
    if (!protocol_modes(options.protocol).empty()) {
        json["mode"] = mode_name(options.mode);
    } else {
        json["matching"] = "one-to-one, optimal (Hungarian): most pairs, then largest summed IoU";
    }
    json["description"] = protocol_description(options);
    if (options.bootstrap_resamples > 0) {
        json["ci95"] = {{"method", "percentile bootstrap over images"},
                        {"resamples", options.bootstrap_resamples},
                        {"seed", options.bootstrap_seed}};
    }
    return json;
}

Json point_to_json(const RocPoint& point) {
    return {{"threshold", point.threshold},
            {"true_positives", point.true_positives},
            {"false_positives", point.false_positives},
            {"detection_rate", point.detection_rate},
            {"mean_iou", point.mean_iou},
            {"precision", point.precision},
            {"false_positives_per_image", point.false_positives_per_image},
            {"continuous_rate", point.continuous_rate}};
}

Json band_to_json(const std::vector<BandPoint>& band, const char* axis, const char* interval) {
    Json json = Json::array();
    for (const BandPoint& point : band) json.push_back({{axis, point.at}, {interval, point.ci95}});
    return json;
}

}  // namespace

std::string protocol_name(DetectionProtocol protocol) {
    switch (protocol) {
        case DetectionProtocol::iou:
            return "iou";
        case DetectionProtocol::mit_cmu:
            return "mit-cmu";
        case DetectionProtocol::s_eyes:
            return "s-eyes";
        case DetectionProtocol::fddb:
            return "fddb";
        case DetectionProtocol::wider:
            return "wider";
        case DetectionProtocol::voc2007:
            return "voc2007";
        case DetectionProtocol::voc2010:
            return "voc2010";
        case DetectionProtocol::coco:
            return "coco";
        case DetectionProtocol::oks:
            return "oks";
        case DetectionProtocol::face_eval:
            return "face-eval";
        case DetectionProtocol::uiuc:
            return "uiuc";
        case DetectionProtocol::uiuc_scale:
            return "uiuc-scale";
    }
    return {};
}

std::string mode_name(ProtocolMode mode) {
    switch (mode) {
        case ProtocolMode::strict:
            return "strict";
        case ProtocolMode::port:
            return "port";
        case ProtocolMode::corrected:
            return "corrected";
    }
    return {};
}

std::string mode_origin(DetectionProtocol protocol, ProtocolMode mode) {
    if (mode == ProtocolMode::corrected) return "without the quirks that lib/evaluate/README.md lists";
    if (mode == ProtocolMode::port) return "WiderFace-Evaluation, the Python port that many papers use";
    switch (protocol) {
        case DetectionProtocol::iou:
        case DetectionProtocol::mit_cmu:
            return {};
        case DetectionProtocol::s_eyes:
            return "as the paper writes it (Oro 2012, section 5)";
        case DetectionProtocol::fddb:
            return "FDDB's official C++ program";
        case DetectionProtocol::wider:
            return "the official MATLAB program (eval_tools)";
        case DetectionProtocol::voc2007:
        case DetectionProtocol::voc2010:
            return "the development kit's VOCevaldet.m";
        case DetectionProtocol::coco:
        case DetectionProtocol::oks:
            return "pycocotools";
        case DetectionProtocol::face_eval:
            return "the toolbox face-eval";
        case DetectionProtocol::uiuc:
            return "the set's Evaluator.java";
        case DetectionProtocol::uiuc_scale:
            return "the set's Evaluator_Scale.java";
    }
    return {};
}

std::string protocol_description(const DetectionEvaluationOptions& options) {
    const std::string mode =
        " Mode " + mode_name(options.mode) + ": " + mode_origin(options.protocol, options.mode) + ".";
    const std::string optimal =
        ". Detections and faces are paired one to one: as many pairs as possible, then the largest summed "
        "IoU. Unpaired detections that hit an ignored face do not count.";
    switch (options.protocol) {
        case DetectionProtocol::iou:
            return "A detection is a hit if its IoU with the face's box is at least " +
                   shortest_number(options.iou_threshold) + optimal;
        case DetectionProtocol::mit_cmu:
            return "A detection is a hit if its centre lies within 0.3 face widths of the face's and its "
                   "width is "
                   "within 50 % of the face's" +
                   optimal;
        case DetectionProtocol::s_eyes:
            return "Oro's S_eyes: the summed distances of both eyes over the smaller eye distance decide a "
                   "hit; "
                   "overlapping windows are averaged, and windows and faces are paired by the Hungarian "
                   "method." +
                   mode;
        case DetectionProtocol::fddb:
            return "FDDB: regions are paired with ellipses so that the summed IoU is largest, anew at every "
                   "score; "
                   "a pair counts 1 if its IoU is greater than 0.5 (discrete), or its IoU (continuous)." +
                   mode;
        case DetectionProtocol::wider:
            return "WIDER FACE: average precision at IoU 0.5 on the lists of easy, medium and hard faces, "
                   "where faces outside a list are ignored; on all faces where the dataset has no lists." +
                   mode;
        case DetectionProtocol::voc2007:
            return "PASCAL VOC 2007: by falling score, a detection is a hit on the face that it overlaps "
                   "most if "
                   "the IoU is at least 0.5 and the face is not taken; AP is the mean precision at 11 "
                   "recalls." +
                   mode;
        case DetectionProtocol::voc2010:
            return "PASCAL VOC 2010: by falling score, a detection is a hit on the face that it overlaps "
                   "most if "
                   "the IoU is at least 0.5 and the face is not taken; AP is the area under the monotone "
                   "precision envelope." +
                   mode;
        case DetectionProtocol::coco:
            return "COCO: by falling score, a detection takes the free face that it overlaps most, at each "
                   "IoU "
                   "from 0.50 to 0.95; AP is the mean precision at 101 recalls. Curves and pictures are at "
                   "IoU "
                   "0.50." +
                   mode;
        case DetectionProtocol::oks:
            return "COCO's keypoints: by falling score, a detection takes the free face whose landmarks are "
                   "most "
                   "like its own (object keypoint similarity, OKS), at each OKS from 0.50 to 0.95; AP is the "
                   "mean precision at 101 recalls. Curves and pictures are at OKS 0.50, and \"IoU\" there is "
                   "OKS." +
                   mode;
        case DetectionProtocol::face_eval:
            return "AFW and PASCAL faces, as in \"Face detection without bells and whistles\": detections "
                   "are "
                   "moved and scaled alike until they fit the annotation best, and count at IoU above 0.5; "
                   "faces "
                   "below 30 pixels and detections up to 21 pixels are left out; AP is the area under the "
                   "precision-recall curve." +
                   mode;
        case DetectionProtocol::uiuc:
            return "UIUC's cars: a detection is a hit if its top left corner lies in an ellipse about that "
                   "of a "
                   "car, with half axes of 25 % of the car's height and width; each car takes one "
                   "detection." +
                   mode;
        case DetectionProtocol::uiuc_scale:
            return "UIUC's cars of all scales: a detection is a hit if its centre and width lie in an "
                   "ellipsoid "
                   "about those of a car, with half axes of 25 % of the car's height, width and width; each "
                   "car "
                   "takes one detection." +
                   mode;
    }
    return {};
}

Json protocol_numbers_to_json(const DetectionEvaluation& evaluation) {
    Json json = Json::object();
    for (const ProtocolNumber& number : evaluation.protocol_numbers) {
        const std::string& key = number.estimate.quantity.key;
        add_numbers({number.estimate}, json, Undefined::left_out);
        for (const ModeValue& other : number.other_modes) {
            if (other.value) json[key + "_" + mode_name(other.mode)] = *other.value;
        }
    }
    return json;
}

namespace {

// The numbers of a protocol that has some of its own stand for the detector.
void state_numbers(const DetectionEvaluation& evaluation, Json& json) {
    const bool has_own = !evaluation.protocol_numbers.empty();
    state_counts({}, json);
    const auto state = [&](Quantity quantity, const std::string& path) {
        quantity.headline = quantity.headline && !has_own;
        state_quantity(path, quantity, json);
    };
    for (const Number& number : evaluation.estimates) state(number.quantity, number.quantity.key);
    const std::string prefix = protocol_name(evaluation.options.protocol) + ".";
    for (const ProtocolNumber& number : evaluation.protocol_numbers) {
        Quantity quantity = number.estimate.quantity;
        for (const ModeValue& other : number.other_modes)
            state_quantity(prefix + quantity.key + "_" + mode_name(other.mode), quantity, json);
        quantity.headline = true;
        state_quantity(prefix + quantity.key, quantity, json);
    }
    if (json.contains("at_threshold")) state_counts({"at_threshold"}, json);
}

}  // namespace

Json detection_evaluation_to_json(const DetectionEvaluation& evaluation, std::size_t max_roc_points) {
    Json json;
    json["name"] = evaluation.name;
    json["protocol"] = protocol_to_json(evaluation.options);
    json["images"] = evaluation.images;
    json["images_unreadable"] = evaluation.images_unreadable;
    json["images_missing"] = evaluation.images_missing;
    json["images_extra"] = evaluation.images_extra;
    json["faces"] = evaluation.faces;
    json["faces_ignored"] = evaluation.faces_ignored;
    json["detections"] = evaluation.detections;
    json["detections_ignored"] = evaluation.detections_ignored;
    json["true_positives"] = evaluation.true_positives;
    json["false_positives"] = evaluation.false_positives;
    json["false_negatives"] = evaluation.faces - evaluation.true_positives;
    for (const Number& number : evaluation.estimates) {
        // Rates at numbers of false positives stand in a list, with their thresholds.
        if (!number.quantity.key.starts_with("rate_at_")) add_numbers({number}, json, Undefined::left_out);
    }
    // The same number under its other name.
    if (json.contains("detection_rate")) json["recall"] = json["detection_rate"];
    if (!evaluation.roc.empty()) json["best_f1_threshold"] = evaluation.best_f1_threshold;
    if (!evaluation.protocol_numbers.empty()) {
        json[protocol_name(evaluation.options.protocol)] = protocol_numbers_to_json(evaluation);
    }
    if (evaluation.at_threshold) {
        json["at_threshold"] = at_threshold_to_json(*evaluation.at_threshold, evaluation.faces);
    }
    json["rate_at_false_positives"] = Json::array();
    for (const RateAtFalsePositives& rate : evaluation.rate_at_false_positives) {
        Json item{{"false_positives", rate.false_positives}, {"detection_rate", rate.detection_rate}};
        if (rate.threshold) item["threshold"] = *rate.threshold;
        if (rate.detection_rate_ci95) item["detection_rate_ci95"] = *rate.detection_rate_ci95;
        json["rate_at_false_positives"].push_back(item);
    }
    json["iou_histogram"] = {{"bin_width", 0.05}, {"faces", evaluation.iou_histogram}};
    json["roc_thresholds"] = evaluation.roc.size();
    json["roc"] = Json::array();
    for (const RocPoint& point : thin_roc(evaluation.roc, max_roc_points)) {
        json["roc"].push_back(point_to_json(point));
    }
    if (!evaluation.roc_band.empty()) {
        json["roc_ci95"] = band_to_json(evaluation.roc_band, "false_positives", "detection_rate_ci95");
        json["roc_continuous_ci95"] =
            band_to_json(evaluation.continuous_band, "false_positives", "continuous_rate_ci95");
        json["precision_recall_ci95"] = band_to_json(evaluation.precision_band, "recall", "precision_ci95");
    }
    json["warnings"] = evaluation.warnings;
    state_numbers(evaluation, json);
    return json;
}

}  // namespace fovea
