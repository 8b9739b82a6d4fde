#include "lib/report/detection/detection_csv.hpp"

#include "lib/core/csv.hpp"

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

}  // namespace fovea::report
