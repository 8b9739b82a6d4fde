#pragma once

#include <filesystem>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/files/input_files.hpp"
#include "lib/report/detection/detection_report.hpp"
#include "lib/report/page/report_context.hpp"

namespace fovea {

/// Writes one report on detections and landmarks. If there are evaluations of one kind only, it is the report
/// of write_detection_report() or write_landmark_report(). A report of both has "detection" and "landmarks"
/// in report.json, with the lists "detectors" and "landmarkers" if there are several. The landmarks' files
/// are then landmark_curves.csv and landmark_numbers.csv (and faces.csv), and the page shows the main numbers
/// of both, then detection, then landmarks.
///
/// \return the path of report.html. \throws what these throw; Error if there is no evaluation at all.
std::filesystem::path write_run_report(const OutputFolder& folder, const Dataset& dataset,
                                       const std::vector<DetectionEvaluation>& detections,
                                       const std::vector<LandmarkEvaluation>& landmarks,
                                       const ReportContext& context);

}  // namespace fovea
