#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/files/input_files.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/report_part.hpp"

namespace fovea {

/// Writes report.json, numbers.csv (as detectors', with all numbers by point, region and slice), curves.csv
/// (every point of every CED), faces.csv (every face's errors), *.svg, *.pdf, report.md and report.html into
/// `folder` (made if it is not there), as write_detection_report() does.
///
/// One evaluation gives a report of one landmarker, several a comparison; "landmarks" in report.json is the
/// first, landmarkers[i].landmarks each of several. At most half of context.thumbnails are the largest
/// misses, half the worst faces, a quarter faces around the median and a quarter the best.
///
/// \param evaluations of one dataset, by one normaliser.
/// \return the path of report.html. \throws as write_detection_report.
std::filesystem::path write_landmark_report(const OutputFolder& folder, const Dataset& dataset,
                                            const std::vector<LandmarkEvaluation>& evaluations,
                                            const ReportContext& context);

/// The numbers of report.json without its curves, which accuracy gates judge.
Json landmark_report_numbers(const std::vector<LandmarkEvaluation>& evaluations);

/// The tables for a terminal: each landmarker's errors under every normaliser.
std::vector<report::Table> landmark_summary(const std::vector<LandmarkEvaluation>& evaluations);

namespace report {

/// The part of a report on landmarks. Its references must outlive it. \throws Error if there is
/// no evaluation.
/// \param prefix of the names of its files of numbers: "landmark_" beside a section of detections.
std::unique_ptr<ReportPart> landmark_part(const Dataset& dataset,
                                          const std::vector<LandmarkEvaluation>& evaluations,
                                          const ReportContext& context, const std::string& prefix);

}  // namespace report
}  // namespace fovea
