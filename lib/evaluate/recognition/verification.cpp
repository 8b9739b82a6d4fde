#include "lib/evaluate/recognition/verification.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/recognition/score_curve.hpp"

namespace fovea {
namespace {

constexpr std::size_t histogram_bins = 50;

// +-0 - x would make a zero distance a negative zero.
double turned(double score) {
    return 0.0 - score;
}

ScoreHistogram histogram_of(const std::vector<VerificationPair>& pairs) {
    ScoreHistogram histogram;
    bool first = true;
    for (const VerificationPair& pair : pairs) {
        if (!std::isfinite(pair.score)) continue;
        histogram.from = first ? pair.score : std::min(histogram.from, pair.score);
        histogram.to = first ? pair.score : std::max(histogram.to, pair.score);
        first = false;
    }
    if (first) return histogram;
    histogram.genuine.resize(histogram_bins);
    histogram.impostors.resize(histogram_bins);
    // Halves first: the span of finite scores may itself not be finite.
    const double span = histogram.to / 2 - histogram.from / 2;
    for (const VerificationPair& pair : pairs) {
        if (!std::isfinite(pair.score)) continue;
        const double place = span > 0 ? (pair.score / 2 - histogram.from / 2) / span : 0;
        const auto bin = std::min(histogram_bins - 1, static_cast<std::size_t>(place * histogram_bins));
        ++(pair.same ? histogram.genuine : histogram.impostors)[bin];
    }
    return histogram;
}

std::string lacking(const VerificationEvaluation& evaluation) {
    if (evaluation.genuine == 0) return "There is no genuine pair, so rates of genuine pairs are undefined.";
    return "There is no impostor pair, so rates of impostor pairs are undefined.";
}

std::vector<std::string> warnings_of(const VerificationEvaluation& evaluation) {
    std::vector<std::string> warnings;
    const std::size_t failed = evaluation.genuine_failed + evaluation.impostors_failed;
    if (failed > 0) {
        warnings.push_back(counted(failed, "pair") + " without score (" +
                           std::to_string(evaluation.genuine_failed) + " genuine, " +
                           std::to_string(evaluation.impostors_failed) +
                           " impostor) count as failures to enrol: never accepted at any threshold.");
    }
    if (evaluation.genuine == 0 || evaluation.impostors == 0) {
        warnings.push_back(lacking(evaluation));
    } else {
        std::string rates;
        for (const double far : reported_far) {
            if (within_rate(1, static_cast<double>(evaluation.impostors), far)) continue;
            rates += (rates.empty() ? "" : ", ") + rate_text(far);
        }
        if (!rates.empty()) {
            warnings.push_back("TAR at FAR " + rates +
                               " is undefined: " + counted(evaluation.impostors, "impostor pair") +
                               " cannot show so small a rate (1 / FAR are needed).");
        }
        if (!evaluation.estimate("eer").value) {
            warnings.push_back(
                "The equal error rate is undefined: FNMR is above FMR at every threshold, because of "
                "failures to enrol.");
        }
    }
    if (evaluation.folds.empty()) {
        warnings.push_back(
            "All pairs are of one fold, so there is no accuracy by folds; best_accuracy is optimistic, its "
            "threshold being chosen on the same pairs.");
    }
    if (evaluation.distinct_scores == 1 && evaluation.pairs > failed) {
        warnings.push_back("All scores are equal, so no threshold tells the pairs apart.");
    }
    if (evaluation.grouped_units && evaluation.options.bootstrap_resamples > 0) {
        warnings.push_back("Intervals are from resamples of " + std::to_string(VerificationCurve::max_units) +
                           " random groups of pairs, as there are too many pairs to draw them one by one.");
    }
    return warnings;
}

std::vector<VerificationPair> as_similarities(const std::vector<VerificationPair>& pairs, bool distance) {
    std::vector<VerificationPair> similarities = pairs;
    for (VerificationPair& pair : similarities) {
        if (!std::isfinite(pair.score)) {
            pair.score = -std::numeric_limits<double>::infinity();
        } else if (distance) {
            pair.score = turned(pair.score);
        }
    }
    return similarities;
}

// Thresholds and scores as the recogniser gave them.
void turn_back(VerificationEvaluation& evaluation) {
    const auto turn = [](std::optional<double>& threshold) {
        if (threshold) threshold = turned(*threshold);
    };
    turn(evaluation.thresholds.at_eer);
    for (std::optional<double>& threshold : evaluation.thresholds.at_far) turn(threshold);
    for (FoldResult& fold : evaluation.folds) turn(fold.threshold);
    for (VerificationPoint& point : evaluation.curve) point.threshold = turned(point.threshold);
}

}  // namespace

const Number& VerificationEvaluation::estimate(const std::string& key) const {
    return number_of_key(estimates, key);
}

VerificationCurve verification_curve(const std::vector<VerificationPair>& pairs,
                                     const VerificationOptions& options) {
    std::optional<double> threshold = options.threshold;
    if (threshold && options.distance) threshold = turned(*threshold);
    return {as_similarities(pairs, options.distance), threshold};
}

VerificationEvaluation evaluate_verification(const std::vector<VerificationPair>& pairs,
                                             const VerificationOptions& options, const std::string& name,
                                             const ShareProgress& progress) {
    if (pairs.empty()) throw Error(name + ": there is no pair to evaluate.");
    const VerificationCurve curve = verification_curve(pairs, options);
    VerificationEvaluation evaluation;
    evaluation.name = name;
    evaluation.options = options;
    evaluation.pairs = pairs.size();
    evaluation.scored = pairs;
    for (const VerificationPair& pair : pairs) {
        ++(pair.same ? evaluation.genuine : evaluation.impostors);
        if (!std::isfinite(pair.score))
            ++(pair.same ? evaluation.genuine_failed : evaluation.impostors_failed);
    }
    evaluation.distinct_scores = curve.distinct_scores();
    evaluation.grouped_units = curve.units() < pairs.size();
    evaluation.thresholds = curve.thresholds();
    evaluation.folds = curve.folds();
    evaluation.curve = curve.points();
    evaluation.histogram = histogram_of(pairs);
    Numbers estimates =
        bootstrap_estimates(curve, options.bootstrap_resamples, options.bootstrap_seed, progress);
    for (std::size_t i = 0; i < curve.band_far().size(); ++i) {
        const Number& place = estimates[curve.first_band() + i];
        if (place.ci95) evaluation.band.push_back({curve.band_far()[i], *place.ci95});
    }
    estimates.resize(curve.first_band());
    evaluation.estimates = std::move(estimates);
    if (options.distance) turn_back(evaluation);
    evaluation.warnings = warnings_of(evaluation);
    return evaluation;
}

}  // namespace fovea
