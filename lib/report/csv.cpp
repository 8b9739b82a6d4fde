#include "lib/report/csv.hpp"

#include "lib/core/text.hpp"
#include "lib/evaluate/detection_json.hpp"

namespace fovea::report {

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

std::string curves_csv(const std::vector<DetectionEvaluation>& evaluations,
                       const std::vector<std::string>& names) {
    std::string csv =
        "detector,threshold,true_positives,false_positives,detection_rate,precision,false_positives_per_"
        "image,"
        "mean_iou,continuous_rate\n";
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const std::string name = csv_field(names[i]);
        for (const RocPoint& point : evaluations[i].roc) {
            csv += name;
            csv += ',' + shortest_number(point.threshold);
            csv += ',' + std::to_string(point.true_positives);
            csv += ',' + std::to_string(point.false_positives);
            for (const double value : {point.detection_rate, point.precision, point.false_positives_per_image,
                                       point.mean_iou, point.continuous_rate}) {
                csv += ',' + shortest_number(value);
            }
            csv += '\n';
        }
    }
    return csv;
}

void NumbersCsv::add(const std::string& metric, double value, const std::optional<Interval>& ci95,
                     const std::string& definition) {
    text_ += name_ + ',' + csv_field(metric) + ',' + shortest_number(value) + ',';
    if (ci95) text_ += shortest_number((*ci95)[0]);
    text_ += ',';
    if (ci95) text_ += shortest_number((*ci95)[1]);
    text_ += ',' + csv_field(definition) + '\n';
}

void NumbersCsv::add(const Estimate& estimate, const std::string& prefix) {
    if (!estimate.value) return;
    add(prefix + estimate.statistic.key, *estimate.value, estimate.ci95, estimate.statistic.definition);
}

void NumbersCsv::add(const std::vector<Estimate>& estimates, const std::string& prefix) {
    for (const Estimate& estimate : estimates) add(estimate, prefix);
}

std::string numbers_csv(const std::vector<DetectionEvaluation>& evaluations,
                        const std::vector<std::string>& names) {
    NumbersCsv csv("detector");
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const DetectionEvaluation& evaluation = evaluations[i];
        csv.begin(names[i]);
        csv.add("images", evaluation.images);
        csv.add("faces", evaluation.faces);
        csv.add("detections", evaluation.detections);
        csv.add("true_positives", evaluation.true_positives);
        csv.add("false_positives", evaluation.false_positives);
        csv.add(evaluation.estimates);
        for (const RateAtFalsePositives& rate : evaluation.rate_at_false_positives) {
            const std::string n = std::to_string(rate.false_positives);
            csv.add("rate_at_" + n + "_fp", rate.detection_rate, rate.detection_rate_ci95,
                    "Largest detection rate at any threshold with at most " + n +
                        " false positives in all images.");
        }
        const std::string protocol = protocol_name(evaluation.options.protocol) + '.';
        for (const ProtocolNumber& number : evaluation.protocol_numbers) csv.add(number.estimate, protocol);
    }
    return csv.text();
}

}  // namespace fovea::report
