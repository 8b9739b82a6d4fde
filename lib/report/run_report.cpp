#include "lib/report/run_report.hpp"

#include "lib/core/error.hpp"
#include "lib/report/detection/detection_report.hpp"
#include "lib/report/landmarks/landmark_report.hpp"
#include "lib/report/page/report_section.hpp"

namespace fovea {

std::filesystem::path write_run_report(const std::filesystem::path& folder, const Dataset& dataset,
                                       const std::vector<DetectionEvaluation>& detections,
                                       const std::vector<LandmarkEvaluation>& landmarks,
                                       const ReportContext& context) {
    if (detections.empty()) return write_landmark_report(folder, dataset, landmarks, context);
    return write_detection_report(folder, dataset, detections, context);
}

}  // namespace fovea
