#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/detection/metrics.hpp"
#include "lib/evaluate/statistics/isotonic.hpp"

namespace fovea {

/// Detections of neighbouring scores and how many of them are right.
struct ReliabilityBin {
    double lowest_score = 0;
    double highest_score = 0;
    double mean_score = 0;
    int detections = 0;
    int true_positives = 0;
    double precision = 0;        ///< true positives / detections
    Interval wilson_ci95{0, 1};  ///< of the precision
};

/// How well scores tell the probability that a detection is right.
struct ScoreCalibration {
    int detections = 0;  ///< true and false positives; ignored ones say nothing
    /// All scores lie in [0, 1], so that they can be read as probabilities.
    bool scores_are_rates = false;
    std::vector<ReliabilityBin> bins;  ///< by rising score
    /// For the scores as they are; absent unless scores_are_rates.
    std::optional<double> expected_calibration_error;
    std::optional<double> brier_score;
    /// Precision as a rising function of the score, learned on all images.
    std::vector<IsotonicStep> isotonic;
    /// After each score was mapped by a curve that was learned on the other folds of images (folds_of), so
    /// that no curve knows the detections that it maps; absent if a fold has detections but the others
    /// have none.
    std::optional<double> calibrated_expected_calibration_error;
    std::optional<double> calibrated_brier_score;
};

/// The reliability of the scores of all detections that count. A detection is right if judged_detections()
/// calls it a true positive.
///
/// - Bins: `bins` of equally many detections as far as possible; equal scores stay together, so that there
///   may be fewer.
/// - Expected calibration error: sum over such bins of detections / all detections · |precision - mean
///   score|, in [0, 1]. Source: M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining well calibrated
///   probabilities using Bayesian binning", AAAI 2015, with bins of equal count.
/// - Brier score: mean squared difference of score and outcome (1 right, 0 wrong), in [0, 1]. Source: G. W.
///   Brier, Monthly Weather Review 78, 1950.
ScoreCalibration calibrate_scores(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                  std::size_t bins = 10);

/// A score and whether its detection is right.
struct ScoredMatch {
    double score = 0;
    bool is_right = false;
};

// The parts of calibrate_scores().
std::vector<ReliabilityBin> reliability_bins(std::vector<ScoredMatch> outcomes, std::size_t bins);
double expected_calibration_error(const std::vector<ReliabilityBin>& bins);  ///< 0 without bins
double brier_score(const std::vector<ScoredMatch>& outcomes);                ///< 0 without outcomes

}  // namespace fovea
