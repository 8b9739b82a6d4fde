#include "lib/report/csv.hpp"

#include <optional>
#include <utility>

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

std::string numbers_csv(const std::vector<DetectionEvaluation>& evaluations,
                        const std::vector<std::string>& names) {
    std::string csv = "detector,metric,value,ci95_low,ci95_high,definition\n";
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const DetectionEvaluation& evaluation = evaluations[i];
        const auto add = [&](const std::string& key, double value, const std::optional<Interval>& ci95,
                             const std::string& definition) {
            csv += csv_field(names[i]) + ',' + csv_field(key) + ',' + shortest_number(value) + ',';
            if (ci95) csv += shortest_number((*ci95)[0]);
            csv += ',';
            if (ci95) csv += shortest_number((*ci95)[1]);
            csv += ',' + csv_field(definition) + '\n';
        };
        const std::pair<const char*, int> counts[] = {{"images", evaluation.images},
                                                      {"faces", evaluation.faces},
                                                      {"detections", evaluation.detections},
                                                      {"true_positives", evaluation.true_positives},
                                                      {"false_positives", evaluation.false_positives}};
        for (const auto& [key, count] : counts) add(key, count, std::nullopt, "");
        for (const Estimate& estimate : evaluation.estimates) {
            if (!estimate.value) continue;
            add(estimate.statistic.key, *estimate.value, estimate.ci95, estimate.statistic.definition);
        }
        for (const RateAtFalsePositives& rate : evaluation.rate_at_false_positives) {
            const std::string n = std::to_string(rate.false_positives);
            add("rate_at_" + n + "_fp", rate.detection_rate, rate.detection_rate_ci95,
                "Largest detection rate at any threshold with at most " + n +
                    " false positives in all images.");
        }
        const std::string protocol = protocol_name(evaluation.options.protocol) + '.';
        for (const ProtocolNumber& number : evaluation.protocol_numbers) {
            if (!number.estimate.value) continue;
            add(protocol + number.estimate.statistic.key, *number.estimate.value, number.estimate.ci95,
                number.estimate.statistic.definition);
        }
    }
    return csv;
}

}  // namespace fovea::report
