#include "lib/report/run_report.hpp"

#include "lib/core/error.hpp"
#include "lib/report/detection/detection_report.hpp"
#include "lib/report/landmarks/landmark_section.hpp"
#include "lib/report/page/report_section.hpp"

namespace fovea {

std::filesystem::path write_run_report(const std::filesystem::path& folder, const Dataset& dataset,
                                       const std::vector<DetectionEvaluation>& detections,
                                       const std::vector<LandmarkEvaluation>& landmarks,
                                       const ReportContext& context) {
    std::vector<std::unique_ptr<report::ReportSection>> sections;
    if (!detections.empty()) sections.push_back(report::detection_section(dataset, detections, context));
    if (!landmarks.empty()) {
        const std::string prefix = detections.empty() ? "" : "landmark_";
        sections.push_back(report::landmark_section(dataset, landmarks, context, prefix));
    }
    if (sections.empty()) throw Error("There is no evaluation to report.");
    return report::write_sections(folder, dataset, context, sections);
}

}  // namespace fovea
