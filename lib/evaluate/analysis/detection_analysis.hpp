#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/analysis/ambiguity.hpp"
#include "lib/evaluate/analysis/error_breakdown.hpp"
#include "lib/evaluate/analysis/operating_point.hpp"
#include "lib/evaluate/analysis/reference_boxes.hpp"
#include "lib/evaluate/analysis/score_calibration.hpp"
#include "lib/evaluate/analysis/slices.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

struct DetectionAnalysisOptions {
    /// Confusion counts, slices and worst images are at this point, which common_point() chooses for several
    /// detectors; absent = the best F1.
    std::optional<OperatingPointChoice> operating_point;
    /// Errors are those of detections with at least this score.
    std::optional<double> error_threshold;
    std::size_t calibration_bins = 10;
    std::size_t worst_images = 50;
};

/// Details behind the numbers of an evaluation: which errors, where, at which scores, in which images.
struct DetectionAnalysis {
    ErrorBreakdown errors;
    std::vector<SliceGroup> slices;
    ScoreCalibration calibration;
    OperatingPoint operating_point;
    std::vector<WorstImage> worst_images;
    std::vector<IouShare> iou_shares;
    MatchingAmbiguity ambiguity;
    std::vector<ImageScores> scores;  ///< parallel to the evaluation's image_outcomes
};

/// Analyses an evaluation. \param dataset the dataset that was evaluated.
/// \param appearance of its faces, for slices by sharpness and brightness; nullptr = not measured.
/// \throws UsageError if the operating point is out of range.
DetectionAnalysis analyse_detection(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                    const DetectionAnalysisOptions& options = {},
                                    const DatasetAppearance* appearance = nullptr);

/// Adds an analysis to the `detection` object of report.json: errors, slices, calibration, operating_point,
/// worst_images, iou_shares, matching_ambiguity. Undefined numbers are left out.
void add_analysis(const Dataset& dataset, const DetectionAnalysis& analysis, Json& evaluation);

}  // namespace fovea
