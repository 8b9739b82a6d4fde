#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/files/input_files.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/report/model/table.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/report_part.hpp"

namespace fovea {

/// Writes evaluated.jsonl (record.hpp), report.json, curves.csv, numbers.csv, report.md, *.svg, *.pdf and
/// report.html into `folder` (made if it is not there).
///
/// report.html needs no other file and no network: it holds its viewer, plots as data and thumbnails as JPEG.
/// One evaluation gives a report of one detector, several a comparison; "detection" in report.json is the
/// first. Equal arguments give equal bytes. The files come into their places together at the end, report.html
/// last, so that a report that fails or is interrupted leaves an older one as it was. If there is no older
/// one, report.json and the files of numbers stay even if plots or page fail. Only images with a thumbnail
/// are read, each once.
///
/// \return the path of report.html.
/// \throws Error if there is no evaluation, the folder or a file cannot be written, or gnuplot fails or
/// is missing.
std::filesystem::path write_detection_report(const OutputFolder& folder, const Dataset& dataset,
                                             const std::vector<DetectionEvaluation>& evaluations,
                                             const ReportContext& context);

/// The numbers of report.json, which accuracy gates judge. Curves have at most 100 points.
Json detection_report_numbers(const std::vector<DetectionEvaluation>& evaluations);

/// The tables for a terminal: the protocol's own numbers, the numbers that all protocols share, and the
/// numbers at a threshold fixed on another run. \param evaluations of one protocol, at least one.
std::vector<report::Table> detection_summary(const std::vector<DetectionEvaluation>& evaluations);

namespace report {

/// The part of a report on detections. Its references must outlive it. \throws Error if there is
/// no evaluation.
std::unique_ptr<ReportPart> detection_part(const Dataset& dataset,
                                           const std::vector<DetectionEvaluation>& evaluations,
                                           const ReportContext& context);

}  // namespace report
}  // namespace fovea
