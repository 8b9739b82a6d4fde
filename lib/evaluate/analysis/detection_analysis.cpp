#include "lib/evaluate/analysis/detection_analysis.hpp"

namespace fovea {

DetectionAnalysis analyse_detection(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                    const DetectionAnalysisOptions& options,
                                    const DatasetAppearance* appearance) {
    DetectionAnalysis analysis;
    analysis.scores = image_scores(dataset, evaluation);
    analysis.operating_point = operating_point(evaluation, analysis.scores,
                                               options.operating_point.value_or(OperatingPointChoice()));
    const std::optional<double> threshold = analysis.operating_point.threshold;
    analysis.errors = break_down_errors(dataset, evaluation, options.error_threshold);
    analysis.slices = slice_detection(dataset, evaluation, analysis.scores, threshold, appearance);
    analysis.calibration = calibrate_scores(dataset, evaluation, options.calibration_bins);
    analysis.worst_images =
        worst_images(dataset, evaluation, analysis.scores, threshold, options.worst_images);
    analysis.iou_shares = iou_shares(dataset, evaluation);
    analysis.ambiguity = matching_ambiguity(dataset, evaluation);
    return analysis;
}

}  // namespace fovea
