#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/evaluate/analysis/detection_analysis.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/json/json.hpp"
#include "lib/report/model/report_origin.hpp"
#include "lib/report/page/sample_pictures.hpp"
#include "lib/report/page/verdicts.hpp"
#include "lib/report/plots/reference_curve.hpp"
#include "lib/report/write/latex.hpp"

namespace fovea {

/// An annotated image for which a detector gave no result; all its faces count as missed.
struct SkippedImage {
    std::string image;     ///< the sample's relative path
    std::string reason;    ///< "unreadable: why", as in results.jsonl, or that the results lack it
    std::string detector;  ///< whose results these are; empty if the same for all

    friend bool operator==(const SkippedImage&, const SkippedImage&) = default;
};

/// The content of a report beside the numbers.
struct ReportContext {
    std::string title;   ///< empty = made from the dataset's name
    Json configuration;  ///< effective configuration, shown in full; may be empty
    Json manifest;       ///< run.json; may be empty (results of another program)
    /// Whole images shown beside the pictures of errors.
    report::SamplePictureLimits pictures{};
    /// report.tex is written, with intervals like this.
    std::optional<report::LatexIntervals> latex{};
    int thumbnails = 24;                ///< at most this many misses and false positives drawn, each
    std::vector<SkippedImage> skipped;  ///< see images_without_results()
    /// Published curves, drawn behind the detectors' own.
    std::vector<report::ReferenceCurve> references;
    DecodeOptions decode;  ///< as when detecting: says in which pixels the boxes are
    /// Calibrations of boxes (box_calibration_to_json()), by the names of the evaluations that use them.
    std::vector<std::pair<std::string, Json>> box_calibrations;
    DetectionAnalysisOptions analysis;  ///< of every detector

    /// The model that found the landmarks of a run, and in which boxes, in a sentence; empty = not known.
    std::string landmarks_origin;

    /// The appearance of the dataset's faces, for slices by sharpness and brightness; absent = not measured.
    std::optional<DatasetAppearance> appearance;

    /// The accuracy gate, whose verdicts stand in the report; may be empty.
    report::Judge judge{};

    ReportOrigin origin;                 ///< in the page alone: the files of numbers are equal for equal work
    std::vector<RelatedReport> related;  ///< other reports of the same run
};

}  // namespace fovea
