#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/json.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection.hpp"
#include "lib/evaluate/detection_analysis.hpp"
#include "lib/image/decode.hpp"
#include "lib/report/plots.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// An annotated image that a detector gave no result for; all its faces count as missed.
struct SkippedImage {
    std::string image;     ///< the sample's relative path
    std::string reason;    ///< "unreadable: why", as in results.jsonl, or that the results lack it
    std::string detector;  ///< whose results these are; empty if the same for all

    friend bool operator==(const SkippedImage&, const SkippedImage&) = default;
};

/// What a report shows beside the numbers.
struct ReportContext {
    std::string title;                  ///< empty = made from the dataset's name
    Json configuration;                 ///< effective configuration, shown in full; may be empty
    Json manifest;                      ///< run.json; may be empty (results of another program)
    int thumbnails = 24;                ///< at most this many misses and false alarms drawn, each
    std::vector<SkippedImage> skipped;  ///< see skipped_images()
    std::vector<report::ReferenceCurve> references;  ///< published curves, drawn behind the detectors' own
    DecodeOptions decode;                            ///< as when detecting: says in which pixels the boxes are
    /// What was learned of boxes, by the name of the evaluation that uses it (box_calibration_to_json()).
    std::vector<std::pair<std::string, Json>> box_calibrations;
    DetectionAnalysisOptions analysis;  ///< of every detector in report.json, of the first in the page

    /// What found the landmarks of a run, and in which boxes, in a sentence; empty = not known.
    std::string landmarks_origin;

    /// Of the dataset's faces, for slices by sharpness and brightness; absent = not measured.
    std::optional<DatasetAppearance> appearance;
};

/// The annotated images of `dataset` that `results` records as unreadable or lacks (pair_images), in dataset
/// order.
std::vector<SkippedImage> skipped_images(const Dataset& dataset, const DetectionResults& results,
                                         const std::string& detector = {});

/// Writes evaluated.jsonl (record.hpp), report.json, curves.csv, numbers.csv, report.md, *.svg, *.pdf and report.html into
/// `folder` (made if it is
/// not there).
///
/// report.html needs no other file and no network: plots are embedded as SVG, thumbnails as JPEG data.
/// One evaluation gives a report of one detector, several a comparison; "detection" in report.json is the
/// first. Equal arguments give equal bytes. The files come into their places together at the end, report.html
/// last, so that a report that fails or is interrupted leaves an older one as it was; where there is none,
/// report.json and the files of numbers are left even if plots or page fail. Images are read once each, and only those
/// of which a thumbnail is shown.
///
/// \return the path of report.html.
/// \throws Error if there is no evaluation, the folder or a file cannot be written, or gnuplot fails or is
/// missing.
std::filesystem::path write_detection_report(const std::filesystem::path& folder, const Dataset& dataset,
                                             const std::vector<DetectionEvaluation>& evaluations,
                                             const ReportContext& context);

}  // namespace fovea
