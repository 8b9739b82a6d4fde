#include "lib/report/html/csv.hpp"

#include "lib/evaluate/detection/detection_json.hpp"

namespace fovea::report {

std::string curves_csv(const std::vector<DetectionEvaluation>& evaluations,
                       const std::vector<std::string>& names) {
    CsvRows csv({"detector", "threshold", "true_positives", "false_positives", "detection_rate", "precision",
                 "false_positives_per_image", "mean_iou", "continuous_rate"});
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        for (const RocPoint& point : evaluations[i].roc) {
            csv.text(names[i]).number(point.threshold);
            csv.number(point.true_positives).number(point.false_positives);
            for (const double value : {point.detection_rate, point.precision, point.false_positives_per_image,
                                       point.mean_iou, point.continuous_rate}) {
                csv.number(value);
            }
            csv.end_row();
        }
    }
    return csv.bytes();
}

void NumbersCsv::add(const std::string& metric, double value, const std::optional<Interval>& ci95,
                     const std::string& definition) {
    rows_.text(name_).text(metric).number(value);
    if (ci95) {
        rows_.number((*ci95)[0]).number((*ci95)[1]);
    } else {
        rows_.empty().empty();
    }
    rows_.text(definition).end_row();
}

void NumbersCsv::add(const Number& estimate, const std::string& prefix) {
    if (!estimate.value) return;
    add(prefix + estimate.quantity.key, *estimate.value, estimate.ci95, estimate.quantity.definition);
}

void NumbersCsv::add(const Numbers& estimates, const std::string& prefix) {
    for (const Number& estimate : estimates) add(estimate, prefix);
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
