#include "lib/evaluate/protocols/detection_json.hpp"

#include "lib/evaluate/detection/at_threshold.hpp"
#include "lib/evaluate/detection/count_quantities.hpp"
#include "lib/evaluate/detection/metrics.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/json/json.hpp"
#include "lib/numbers/json/numbers_json.hpp"

namespace fovea {
namespace {

Json protocol_to_json(const DetectionEvaluationOptions& options) {
    Json json;
    json["rule"] = record_of(options.protocol).name;
    if (options.protocol == DetectionProtocol::iou) {
        json["iou_threshold"] = options.iou_threshold;
    } else if (options.protocol == DetectionProtocol::mit_cmu) {
        json["centre_distance_in_face_widths"] = 0.3;
        json["width_tolerance"] = 0.5;
    }
    if (record_of(options.protocol).has_numbers()) {
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
    const std::string prefix = record_of(evaluation.options.protocol).name + ".";
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
        json[record_of(evaluation.options.protocol).name] = protocol_numbers_to_json(evaluation);
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
