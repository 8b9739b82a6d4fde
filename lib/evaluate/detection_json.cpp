#include "lib/evaluate/detection_json.hpp"

#include "lib/core/text.hpp"
#include "lib/evaluate/metrics.hpp"

namespace fovea {
namespace {

Json protocol_to_json(const DetectionEvaluationOptions& options) {
    Json json;
    json["rule"] = match_rule_name(options.rule);
    if (options.rule == MatchRule::iou) {
        json["iou_threshold"] = options.iou_threshold;
    } else {
        json["centre_distance_in_face_widths"] = 0.3;
        json["width_tolerance"] = 0.5;
    }
    json["matching"] = "one-to-one, optimal (Hungarian): most pairs, then largest summed IoU";
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

Json slices_to_json(const std::vector<SliceRate>& slices) {
    Json json = Json::array();
    for (const SliceRate& slice : slices) {
        json.push_back({{"from", slice.from},
                        {"to", slice.to},
                        {"images", slice.images},
                        {"faces", slice.faces},
                        {"found", slice.found},
                        {"detection_rate", slice.detection_rate},
                        {"wilson_ci95", wilson_interval(slice.found, slice.faces)}});
    }
    return json;
}

}  // namespace

std::string match_rule_name(MatchRule rule) {
    return rule == MatchRule::iou ? "iou" : "mit-cmu";
}

std::string protocol_description(const DetectionEvaluationOptions& options) {
    const std::string hit =
        options.rule == MatchRule::iou
            ? "its IoU with the face's box is at least " + shortest_number(options.iou_threshold)
            : "its centre lies within 0.3 face widths of the face's and its width is "
              "within 50 % of the face's";
    return "A detection is a hit if " + hit +
           "; detections and faces are paired one to one, as many pairs as possible and among these the "
           "largest "
           "summed IoU, and detections left over that hit an ignored face are not counted.";
}

Json detection_evaluation_to_json(const DetectionEvaluation& evaluation, std::size_t most_roc_points) {
    Json json;
    const auto add_interval = [&json](const char* key, const std::optional<Interval>& interval) {
        if (interval) json[key] = *interval;
    };
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
    json["detection_rate"] = evaluation.detection_rate;
    add_interval("detection_rate_ci95", evaluation.detection_rate_ci95);
    json["precision"] = evaluation.precision;
    json["recall"] = evaluation.detection_rate;  // the same number under its other name
    json["f1"] = evaluation.f1;
    json["false_positives_per_image"] = evaluation.false_positives_per_image;
    json["mean_iou"] = evaluation.mean_iou;
    json["continuous_rate"] = evaluation.continuous_rate;
    json["best_f1"] = evaluation.best_f1;
    if (!evaluation.roc.empty()) json["best_f1_threshold"] = evaluation.best_f1_threshold;
    json["average_precision"] = evaluation.average_precision;
    add_interval("average_precision_ci95", evaluation.average_precision_ci95);

    json["rate_at_false_positives"] = Json::array();
    for (const RateAtFalsePositives& rate : evaluation.rate_at_false_positives) {
        Json item{{"false_positives", rate.false_positives}, {"detection_rate", rate.detection_rate}};
        if (rate.threshold) item["threshold"] = *rate.threshold;
        if (rate.detection_rate_ci95) item["detection_rate_ci95"] = *rate.detection_rate_ci95;
        json["rate_at_false_positives"].push_back(item);
    }
    json["iou_histogram"] = {{"bin_width", 0.05}, {"faces", evaluation.iou_histogram}};
    json["by_faces_in_image"] = slices_to_json(evaluation.by_faces_in_image);
    json["by_face_width"] = slices_to_json(evaluation.by_face_width);
    json["roc_thresholds"] = evaluation.roc.size();
    json["roc"] = Json::array();
    for (const RocPoint& point : thin_roc(evaluation.roc, most_roc_points)) {
        json["roc"].push_back(point_to_json(point));
    }
    json["warnings"] = evaluation.warnings;
    return json;
}

}  // namespace fovea
