#include "lib/report/run_report.hpp"

#include "lib/core/error.hpp"
#include "lib/report/detection/detection_report.hpp"
#include "lib/report/landmarks/landmark_report.hpp"
#include "lib/report/page/report_part.hpp"

namespace fovea {

std::filesystem::path write_run_report(const OutputFolder& folder, const Dataset& dataset,
                                       const std::vector<DetectionEvaluation>& detections,
                                       const std::vector<LandmarkEvaluation>& landmarks,
                                       const ReportContext& context) {
    std::vector<std::unique_ptr<report::ReportPart>> parts;
    if (!detections.empty()) parts.push_back(report::detection_part(dataset, detections, context));
    if (!landmarks.empty()) {
        const std::string prefix = detections.empty() ? "" : "landmark_";
        parts.push_back(report::landmark_part(dataset, landmarks, context, prefix));
    }
    if (parts.empty()) throw Error("There is no evaluation to report.");
    return report::write_parts(folder, dataset, context, parts);
}

}  // namespace fovea
