#pragma once

#include <filesystem>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/tracks/track_json.hpp"
#include "lib/evaluate/tracks/tracks.hpp"
#include "lib/files/input_files.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/report/model/table.hpp"
#include "lib/report/page/report_context.hpp"

namespace fovea {

/// Writes report.json, numbers.csv (with the numbers of each video), thresholds.csv (HOTA by IoU threshold),
/// switches.csv (where a true track gets another track of the results), *.svg, *.pdf, report.md and
/// report.html into `folder` (made if it is not there), as write_detection_report() does.
///
/// "tracks" in report.json is the first evaluation, trackers[i].tracks each of several; "differences"
/// compares the first with each of the others. \param evaluations of one dataset. \return the path of
/// report.html. \throws as write_detection_report.
std::filesystem::path write_track_report(const OutputFolder& folder, const Dataset& dataset,
                                         const std::vector<TrackEvaluation>& evaluations,
                                         const ReportContext& context);

/// Each tracker by number, its videos where they are not too many, and the differences from the first.
std::vector<report::Table> track_summary(const std::vector<TrackEvaluation>& evaluations);

/// The numbers of report.json, which accuracy gates judge.
Json track_report_numbers(const std::vector<TrackEvaluation>& evaluations);

}  // namespace fovea
