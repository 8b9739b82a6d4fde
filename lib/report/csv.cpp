#include "lib/report/csv.hpp"

#include "lib/core/text.hpp"

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

}  // namespace fovea::report
