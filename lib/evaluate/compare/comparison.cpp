#include "lib/evaluate/compare/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "lib/json/json.hpp"

namespace fovea {
namespace {

constexpr double z95 = 1.959963984540054;  // two-sided 95 % of the normal distribution

double standard_error(const Interval& ci95) {
    return (ci95[1] - ci95[0]) / (2 * z95);
}

double two_sided_p(double difference, double error) {
    return std::erfc(std::abs(difference) / error / std::sqrt(2.0));
}

Json number_to_json(const ComparedNumber& number) {
    Json json{{"key", number.key}, {"name", number.name}};
    if (number.first) json["a"] = *number.first;
    if (number.second) json["b"] = *number.second;
    if (number.difference) json["difference"] = *number.difference;
    if (number.ci95) json["difference_ci95"] = *number.ci95;
    if (number.p_value) json["p_value"] = *number.p_value;
    if (number.effect_h) json["cohens_h"] = *number.effect_h;
    if (number.higher_is_better) json["higher_is_better"] = *number.higher_is_better;
    json["headline"] = number.headline;
    return json;
}

Json mcnemar_to_json(const McNemar& test) {
    Json json{
        {"found_by_both", test.both},
        {"found_by_a_only", test.only_first},
        {"found_by_b_only", test.only_second},
        {"found_by_neither", test.neither},
        {"test", test.exact ? "McNemar, exact binomial" : "McNemar, chi-squared with continuity correction"},
        {"p_value", test.p_value}};
    if (test.chi_squared) json["chi_squared"] = *test.chi_squared;
    if (test.odds_ratio) json["odds_ratio"] = *test.odds_ratio;
    return json;
}

Json boxes_of_faces(const Sample& sample, const std::vector<std::size_t>& faces) {
    Json list = Json::array();
    for (const std::size_t i : faces) {
        const Box& box = sample.faces[i].box;
        list.push_back({box.x, box.y, box.w, box.h});
    }
    return list;
}

Json boxes_of_detections(const ImageEvaluation& outcome, const std::vector<std::size_t>& detections) {
    Json list = Json::array();
    for (const std::size_t i : detections) {
        const Detection& detection = outcome.detections[i];
        list.push_back({{"box", {detection.box.x, detection.box.y, detection.box.w, detection.box.h}},
                        {"score", detection.score}});
    }
    return list;
}

void add_detections(Json& json, const ComparedDetections& detections, std::size_t max_images) {
    Json point{{"what", detections.at}};
    for (std::size_t i = 0; i < 2; ++i) {
        const DetectionEvaluation& kept = detections.kept[i];
        Json& side = point[i == 0 ? "a" : "b"];
        side = {{"true_positives", kept.true_positives}, {"false_positives", kept.false_positives}};
        if (detections.thresholds[i]) side["threshold"] = *detections.thresholds[i];
    }
    json["operating_point"] = std::move(point);
    json["dataset_images"] = detections.evaluations[0].images;
    json["dataset_faces"] = detections.evaluations[0].faces;
    json["faces"] = mcnemar_to_json(detections.changes.faces);
    json["false_alarms"] = {{"raised_by_both", detections.changes.alarms_common},
                            {"raised_by_a_only", detections.changes.alarms_lost},
                            {"raised_by_b_only", detections.changes.alarms_gained}};
    json["images_changed"] = detections.changes.images.size();
    json["images"] = Json::array();
    for (const ImageChange& change : detections.changes.images) {
        if (json["images"].size() == max_images) break;
        const ImageEvaluation& a = detections.kept[0].image_outcomes[change.image];
        const ImageEvaluation& b = detections.kept[1].image_outcomes[change.image];
        const Sample& sample = detections.dataset.samples[a.sample];
        json["images"].push_back({{"image", sample.image},
                                  {"faces_gained", boxes_of_faces(sample, change.faces_gained)},
                                  {"faces_lost", boxes_of_faces(sample, change.faces_lost)},
                                  {"false_alarms_gained", boxes_of_detections(b, change.alarms_gained)},
                                  {"false_alarms_lost", boxes_of_detections(a, change.alarms_lost)}});
    }
}

}  // namespace

std::optional<double> ComparedNumber::worse_by() const {
    if (!difference || !higher_is_better) return std::nullopt;
    return *higher_is_better ? -*difference : *difference;
}

bool ComparedNumber::significant() const {
    return ci95 && ((*ci95)[0] > 0 || (*ci95)[1] < 0);
}

void complete_difference(ComparedNumber& number) {
    if (!number.first || !number.second) return;
    number.difference = *number.second - *number.first;
    const auto is_share = [](double value) { return value >= 0 && value <= 1; };
    if (number.is_rate && is_share(*number.first) && is_share(*number.second)) {
        number.effect_h = 2 * std::asin(std::sqrt(*number.second)) - 2 * std::asin(std::sqrt(*number.first));
    }
}

void compare_intervals(ComparedNumber& number, const std::optional<Interval>& first,
                       const std::optional<Interval>& second) {
    if (!number.difference || !first || !second) return;
    const double se_first = standard_error(*first);
    const double se_second = standard_error(*second);
    const double se = std::sqrt(se_first * se_first + se_second * se_second);
    if (!(se > 0)) return;
    number.ci95 = Interval{*number.difference - z95 * se, *number.difference + z95 * se};
    number.p_value = two_sided_p(*number.difference, se);
}

std::optional<double> normal_p_value(double difference, const Interval& ci95) {
    const double error = standard_error(ci95);
    return error > 0 ? std::optional(two_sided_p(difference, error)) : std::nullopt;
}

Json comparison_to_json(const Comparison& comparison, std::size_t max_images) {
    Json json;
    json["format"] = "fovea-comparison";
    json["version"] = 1;
    for (std::size_t i = 0; i < 2; ++i) {
        json[i == 0 ? "a" : "b"] = {{"name", comparison.names[i]}, {"report", comparison.sources[i]}};
    }
    json["paired"] = comparison.paired;
    json["method"] = comparison.method;
    if (!comparison.protocol.empty()) json["protocol"] = comparison.protocol;
    if (!comparison.dataset.empty()) json["dataset"] = comparison.dataset;
    json["settings"] = Json::array();
    for (const SettingDifference& setting : comparison.settings) {
        json["settings"].push_back({{"name", setting.name}, {"a", setting.a}, {"b", setting.b}});
    }
    json["numbers"] = Json::array();
    for (const ComparedNumber& number : comparison.numbers) json["numbers"].push_back(number_to_json(number));
    if (comparison.detections) add_detections(json, *comparison.detections, max_images);
    json["warnings"] = comparison.warnings;
    return json;
}

}  // namespace fovea
