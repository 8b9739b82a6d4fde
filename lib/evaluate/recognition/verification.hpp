#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/recognition/verification_curve.hpp"

namespace fovea {

struct VerificationOptions {
    bool distance = false;  ///< the scores as given are distances: smaller is more alike
    /// Fixed before these pairs were seen; in the unit of the given scores.
    std::optional<double> threshold;
    std::string threshold_origin;    ///< where it is from, for people: "--threshold"
    int bootstrap_resamples = 1000;  ///< for the 95 % intervals; 0 = none
    std::uint64_t bootstrap_seed = 1;
};

/// The curve at one false match rate, with its interval.
struct RateBand {
    double at = 0;
    Interval ci95{};
};

/// Counts of scores in equal bins of [from, to]; the last bin holds `to`.
struct ScoreHistogram {
    double from = 0;
    double to = 0;
    std::vector<std::size_t> genuine;
    std::vector<std::size_t> impostors;
};

/// Everything that is known of a recogniser's answers to pairs. Thresholds and scores are as the recogniser
/// gives them: with `options.distance`, a pair is accepted at or below a threshold.
struct VerificationEvaluation {
    std::string name;
    VerificationOptions options;
    std::size_t pairs = 0;
    std::size_t genuine = 0;
    std::size_t impostors = 0;
    std::size_t genuine_failed = 0;  ///< failures to enrol: pairs without score; never accepted
    std::size_t impostors_failed = 0;
    std::size_t distinct_scores = 0;
    bool grouped_units = false;  ///< intervals are from groups of pairs, see VerificationCurve
    Numbers estimates;           ///< VerificationCurve's but for the band
    OperatingThresholds thresholds;
    std::vector<FoldResult> folds;  ///< empty with fewer than 2
    std::vector<VerificationPoint> curve;
    std::vector<RateBand> band;  ///< of the true accept rate
    ScoreHistogram histogram;
    /// Stands for which pairs these are, see ScoredPairs; empty = unknown.
    std::string units_sha256;
    std::vector<VerificationPair> scored;  ///< the pairs as given
    std::vector<std::string> warnings;     ///< sentences: what is undefined and why, failures to enrol

    /// \throws std::out_of_range for a key that is none of the statistics'.
    const Number& estimate(const std::string& key) const;
};

/// The numbers of pairs for resampling. \param pairs with scores as given: NaN or infinity means a failure to
/// enrol, and with `options.distance` smaller is more alike.
VerificationCurve verification_curve(const std::vector<VerificationPair>& pairs,
                                     const VerificationOptions& options);

/// Evaluates a recogniser on pairs (1:1 verification).
///
/// A pair is accepted if its score reaches the threshold (with distances: does not exceed it). FAR = FMR
/// here: accepted impostor pairs / all impostor pairs; TAR = 1 - FNMR: accepted genuine pairs / all genuine
/// pairs. Pairs without score (failures to enrol) count in both denominators and are never accepted. LFW's
/// accuracy (view 2): for every fold the threshold that judges most pairs of the other folds rightly — of
/// equally good ones the strictest, always one of their scores — is applied to it. Costs O(n log n) and O(n)
/// for every resample.
///
/// Sources: G. B. Huang et al., "Labeled Faces in the Wild", 2007, section 4 (accuracy, standard error); A.
/// J. Mansfield, J. L. Wayman, "Best Practices in Testing Biometric Devices", 2002 (rates, failure to enrol);
/// J. G. Daugman, "The importance of being random", 2003 (d').
///
/// \param pairs with scores as given; NaN or infinity means a failure to enrol.
/// \throws Error without a pair.
VerificationEvaluation evaluate_verification(const std::vector<VerificationPair>& pairs,
                                             const VerificationOptions& options, const std::string& name,
                                             const ShareProgress& progress = {});

}  // namespace fovea
