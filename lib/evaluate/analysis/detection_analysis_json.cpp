#include "lib/evaluate/analysis/detection_analysis.hpp"
#include "lib/evaluate/detection/count_quantities.hpp"
#include "lib/json/json.hpp"
#include "lib/numbers/json/numbers_json.hpp"

namespace fovea {
namespace {

// A number and its interval, where there are some.
void add_estimate(Json& json, const std::string& key, const Number& estimate) {
    if (estimate.value) json[key] = *estimate.value;
    if (estimate.ci95) json[key + "_ci95"] = *estimate.ci95;
}

template <class Value>
void add_known(Json& json, const std::string& key, const std::optional<Value>& value) {
    if (value) json[key] = *value;
}

Json confusion_to_json(const ConfusionCounts& counts, bool has_true_negatives) {
    Json json{{"true_positives", counts.true_positives},
              {"false_positives", counts.false_positives},
              {"false_negatives", counts.false_negatives}};
    if (has_true_negatives) json["true_negatives"] = counts.true_negatives;
    add_known(json, "accuracy", counts.accuracy());
    add_known(json, "precision", counts.precision());
    add_known(json, "recall", counts.recall());
    add_known(json, "f1", counts.f1());
    return json;
}

Json errors_to_json(const ErrorBreakdown& errors) {
    Json json;
    json["method"] = "TIDE (Bolya et al., ECCV 2020), one class; background below IoU 0.1";
    add_known(json, "threshold", errors.threshold);
    json["faces"] = errors.faces;
    json["faces_not_found"] = errors.faces_not_found;
    json["faces_covered_by_localisation_errors"] = errors.faces_covered;
    json["false_positives"] = errors.false_positives;
    add_estimate(json, "average_precision", errors.average_precision);
    json["resamples"] = errors.resamples;
    json["kinds"] = Json::array();
    for (const ErrorShare& error : errors.errors) {
        Json entry{
            {"error", error_name(error.error)}, {"definition", error.definition}, {"count", error.count}};
        add_estimate(entry, "share", error.share);
        add_estimate(entry, "delta_ap", error.delta_ap);
        json["kinds"].push_back(std::move(entry));
    }
    add_estimate(json, "delta_ap_all_false_positives", errors.delta_ap_all_false_positives);
    add_estimate(json, "delta_ap_all_faces_not_found", errors.delta_ap_all_faces_not_found);
    return json;
}

Json calibration_to_json(const ScoreCalibration& calibration) {
    Json json{{"detections", calibration.detections}, {"scores_are_rates", calibration.scores_are_rates}};
    add_known(json, "expected_calibration_error", calibration.expected_calibration_error);
    add_known(json, "brier_score", calibration.brier_score);
    add_known(json, "calibrated_expected_calibration_error",
              calibration.calibrated_expected_calibration_error);
    add_known(json, "calibrated_brier_score", calibration.calibrated_brier_score);
    json["bins"] = Json::array();
    for (const ReliabilityBin& bin : calibration.bins) {
        json["bins"].push_back({{"lowest_score", bin.lowest_score},
                                {"highest_score", bin.highest_score},
                                {"mean_score", bin.mean_score},
                                {"detections", bin.detections},
                                {"true_positives", bin.true_positives},
                                {"precision", bin.precision},
                                {"wilson_ci95", bin.wilson_ci95}});
    }
    json["isotonic"] = Json::array();
    for (const IsotonicStep& step : calibration.isotonic) {
        json["isotonic"].push_back({{"score", step.score}, {"precision", step.value}});
    }
    return json;
}

Json operating_point_to_json(const OperatingPoint& point) {
    Json json{{"choice", describe(point.choice)}};
    add_known(json, "threshold", point.threshold);
    json["detections"] = confusion_to_json(point.detections, false);
    json["images"] = confusion_to_json(point.images, true);
    return json;
}

Json worst_images_to_json(const Dataset& dataset, const std::vector<WorstImage>& images) {
    Json json = Json::array();
    for (const WorstImage& image : images) {
        json.push_back({{"image", dataset.samples.at(image.sample).image},
                        {"faces", image.faces},
                        {"misses", image.misses},
                        {"false_positives", image.false_positives},
                        {"errors", image.errors()}});
    }
    return json;
}

Json ambiguity_to_json(const MatchingAmbiguity& ambiguity) {
    return {{"faces", ambiguity.faces},
            {"found_hungarian", ambiguity.found_hungarian},
            {"found_greedy", ambiguity.found_greedy},
            {"found_s_eyes", ambiguity.found_s_eyes},
            {"status_differs", ambiguity.status_differs},
            {"status_differs_greedy", ambiguity.status_differs_greedy},
            {"status_differs_s_eyes", ambiguity.status_differs_s_eyes},
            {"partner_differs", ambiguity.partner_differs},
            {"partner_differs_greedy", ambiguity.partner_differs_greedy},
            {"partner_differs_s_eyes", ambiguity.partner_differs_s_eyes}};
}

Json iou_shares_to_json(const std::vector<IouShare>& shares) {
    Json json = Json::array();
    for (const IouShare& point : shares) json.push_back({{"iou", point.iou}, {"share", point.share}});
    return json;
}

Json slices_to_json(const std::vector<SliceGroup>& groups, const std::string& at) {
    Json json = Json::array();
    for (const SliceGroup& group : groups) {
        Json entry{{"key", group.key},
                   {"title", group.title},
                   {"description", group.what},
                   {"at", at},
                   {"slices_of", group.of_images ? "images" : "faces"},
                   {"slices", Json::array()}};
        for (const Slice& slice : group.slices) {
            Json row{{"label", slice.label},
                     {"images", slice.images},
                     {"faces", slice.faces},
                     {"found", slice.found}};
            add_known(row, "detection_rate", slice.detection_rate);
            add_known(row, "detection_rate_ci95", slice.detection_rate_ci95);
            add_known(row, "wilson_ci95", slice.wilson_ci95);
            add_known(row, "false_positives", slice.false_positives);
            add_known(row, "false_positives_per_image", slice.false_positives_per_image);
            add_known(row, "false_positives_per_image_ci95", slice.false_positives_per_image_ci95);
            entry["slices"].push_back(std::move(row));
        }
        json.push_back(std::move(entry));
    }
    return json;
}

void state_numbers(const DetectionAnalysis& analysis, Json& json) {
    const ErrorBreakdown& errors = analysis.errors;
    for (const auto& [key, number] : {std::pair("average_precision", &errors.average_precision),
                                      {"delta_ap_all_false_positives", &errors.delta_ap_all_false_positives},
                                      {"delta_ap_all_faces_not_found", &errors.delta_ap_all_faces_not_found}})
        state_quantity(std::string("errors.") + key, number->quantity, json);
    state_counts({"errors"}, json);
    for (const char* of : {"detections", "images"}) state_counts({"operating_point", of}, json);
    const Quantity error{"", "Expected calibration error",
                         "mean gap between a bin's mean score and its precision, weighted by detections",
                         Better::lower};
    const Quantity brier{"", "Brier score", "mean squared gap between score and outcome", Better::lower};
    for (const std::string& prefix : {std::string("calibration."), std::string("calibration.calibrated_")}) {
        state_quantity(prefix + "expected_calibration_error", error, json);
        state_quantity(prefix + "brier_score", brier, json);
    }
}

}  // namespace

void add_analysis(const Dataset& dataset, const DetectionAnalysis& analysis, Json& json) {
    json["errors"] = errors_to_json(analysis.errors);
    json["slices"] = slices_to_json(analysis.slices, describe(analysis.operating_point));
    json["calibration"] = calibration_to_json(analysis.calibration);
    json["operating_point"] = operating_point_to_json(analysis.operating_point);
    json["worst_images"] = worst_images_to_json(dataset, analysis.worst_images);
    json["iou_shares"] = iou_shares_to_json(analysis.iou_shares);
    json["matching_ambiguity"] = ambiguity_to_json(analysis.ambiguity);
    state_numbers(analysis, json);
}

}  // namespace fovea
