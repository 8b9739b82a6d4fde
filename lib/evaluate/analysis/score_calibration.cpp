#include "lib/evaluate/analysis/score_calibration.hpp"

#include <algorithm>
#include <cmath>

#include "lib/evaluate/detection/judged_detections.hpp"
#include "lib/evaluate/statistics/folds.hpp"
#include "lib/evaluate/statistics/rates.hpp"
#include "lib/evaluate/statistics/wilson_interval.hpp"

namespace fovea {
namespace {

std::vector<ScoreCount> counts_of(const std::vector<ScoredMatch>& outcomes) {
    std::vector<ScoreCount> counts;
    for (const ScoredMatch& outcome : outcomes) {
        counts.push_back({outcome.score, 1, outcome.is_right ? 1.0 : 0.0});
    }
    return counts;
}

// Every score mapped by what the other folds teach; nothing if these are silent.
std::optional<std::vector<ScoredMatch>> mapped_by_other_folds(
    const std::vector<std::vector<ScoredMatch>>& folds) {
    std::vector<ScoredMatch> mapped;
    for (std::size_t fold = 0; fold < folds.size(); ++fold) {
        if (folds[fold].empty()) continue;
        std::vector<ScoredMatch> others;
        for (std::size_t other = 0; other < folds.size(); ++other) {
            if (other != fold) others.insert(others.end(), folds[other].begin(), folds[other].end());
        }
        if (others.empty()) return std::nullopt;
        const std::vector<IsotonicStep> curve = isotonic_regression(counts_of(others));
        for (const ScoredMatch& outcome : folds[fold]) {
            mapped.push_back({isotonic_value(curve, outcome.score), outcome.is_right});
        }
    }
    return mapped;
}

}  // namespace

std::vector<ReliabilityBin> reliability_bins(std::vector<ScoredMatch> outcomes, std::size_t bins) {
    std::stable_sort(outcomes.begin(), outcomes.end(),
                     [](const ScoredMatch& a, const ScoredMatch& b) { return a.score < b.score; });
    std::vector<ReliabilityBin> list;
    std::size_t begin = 0;
    for (std::size_t bin = 1; bin <= bins && begin < outcomes.size(); ++bin) {
        std::size_t end = std::max(begin, bin * outcomes.size() / bins);
        if (end == begin) continue;
        while (end < outcomes.size() && outcomes[end].score == outcomes[end - 1].score) ++end;
        ReliabilityBin entry;
        entry.lowest_score = outcomes[begin].score;
        entry.highest_score = outcomes[end - 1].score;
        double sum = 0;
        for (; begin < end; ++begin) {
            ++entry.detections;
            entry.true_positives += outcomes[begin].is_right ? 1 : 0;
            sum += outcomes[begin].score;
        }
        entry.mean_score = sum / entry.detections;
        entry.precision = rate_of(entry.true_positives, entry.detections);
        entry.wilson_ci95 = wilson_interval(entry.true_positives, entry.detections);
        list.push_back(entry);
    }
    return list;
}

double expected_calibration_error(const std::vector<ReliabilityBin>& bins) {
    double all = 0;
    double error = 0;
    for (const ReliabilityBin& bin : bins) {
        all += bin.detections;
        error += bin.detections * std::abs(bin.precision - bin.mean_score);
    }
    return rate_of(error, all);
}

double brier_score(const std::vector<ScoredMatch>& outcomes) {
    double sum = 0;
    for (const ScoredMatch& outcome : outcomes) {
        const double difference = outcome.score - (outcome.is_right ? 1 : 0);
        sum += difference * difference;
    }
    return rate_of(sum, static_cast<double>(outcomes.size()));
}

ScoreCalibration calibrate_scores(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                  std::size_t bins) {
    const Folds folds = folds_of(dataset);
    const std::vector<std::vector<CurveDetection>> judged = judged_detections(dataset, evaluation);
    std::vector<ScoredMatch> all;
    std::vector<std::vector<ScoredMatch>> by_fold(folds.names.size());
    for (std::size_t i = 0; i < judged.size(); ++i) {
        const std::size_t fold = folds.of_sample[evaluation.image_outcomes[i].sample];
        for (const CurveDetection& detection : judged[i]) {
            if (detection.outcome == DetectionMatch::ignored) continue;
            all.push_back({detection.score, detection.outcome == DetectionMatch::true_positive});
            by_fold[fold].push_back(all.back());
        }
    }

    ScoreCalibration calibration;
    calibration.detections = static_cast<int>(all.size());
    if (all.empty()) return calibration;
    calibration.scores_are_rates = std::all_of(all.begin(), all.end(), [](const ScoredMatch& outcome) {
        return outcome.score >= 0 && outcome.score <= 1;
    });
    calibration.bins = reliability_bins(all, bins);
    if (calibration.scores_are_rates) {
        calibration.expected_calibration_error = expected_calibration_error(calibration.bins);
        calibration.brier_score = brier_score(all);
    }
    calibration.isotonic = isotonic_regression(counts_of(all));
    if (const auto mapped = mapped_by_other_folds(by_fold)) {
        calibration.calibrated_expected_calibration_error =
            expected_calibration_error(reliability_bins(*mapped, bins));
        calibration.calibrated_brier_score = brier_score(*mapped);
    }
    return calibration;
}

}  // namespace fovea
