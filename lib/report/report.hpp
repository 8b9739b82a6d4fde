#pragma once

#include "lib/core/json.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

/// What a report shows beside the numbers.
struct ReportContext {
    std::string title;
    Json configuration;   ///< effective configuration, shown in full; may be empty
    Json manifest;        ///< run.json; may be empty (results of another program)
    int thumbnails = 24;  ///< at most this many misses and false alarms drawn, each
};

/// Writes report.json, curves.csv, *.svg and report.html into `folder` (made if it is not there).
///
/// report.html needs no other file and no network: plots are embedded as SVG, thumbnails as JPEG data.
/// One evaluation gives a report of one detector, several a comparison; "detection" in report.json is the first.
///
/// \return the path of report.html.
/// \throws Error if the folder or a file cannot be written, or gnuplot fails or is missing.
std::filesystem::path write_detection_report(const std::filesystem::path& folder, const Dataset& dataset,
                                             const std::vector<DetectionEvaluation>& evaluations,
                                             const ReportContext& context);

}  // namespace fovea
