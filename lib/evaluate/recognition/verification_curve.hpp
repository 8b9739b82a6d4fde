#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

/// Two images that a recogniser compared.
struct VerificationPair {
    /// Larger is more alike; minus infinity if one of the images could not be enrolled (no score): such a
    /// pair is rejected at every threshold.
    double score = -std::numeric_limits<double>::infinity();
    bool same = false;      ///< they show one subject: a genuine pair; else an impostor pair
    std::int32_t fold = 0;  ///< from 0
};

/// False match rates at which the true accept rate is reported; "tar_at_far_0.1", ...
extern const std::vector<double> reported_far;  // rising
/// Keys of report.json: far_key("tar_at_far_", 0.001) is "tar_at_far_0.001".
std::string far_key(const std::string& prefix, double rate);

/// The counts when pairs with a score of at least `threshold` are accepted.
struct VerificationPoint {
    double threshold = 0;
    std::size_t genuine_accepted = 0;
    std::size_t impostors_accepted = 0;
};

/// One fold judged at the threshold that is best on all others.
struct FoldResult {
    std::int32_t fold = 0;
    std::size_t pairs = 0;
    std::optional<double> threshold;  ///< none if rejecting every pair is best on the other folds
    double accuracy = 0;
};

/// Thresholds that the whole set of pairs gives; applied to other pairs with `--threshold-from`.
struct OperatingThresholds {
    std::optional<double> at_eer;
    std::vector<std::optional<double>> at_far;  ///< parallel to reported_far
};

/// The numbers of a verification experiment for resampling.
///
/// Units are pairs in their order, so that two recognisers can be compared on the same ones. Beyond
/// max_units, pairs are dealt into that many groups by a hash of their position, and the groups are the
/// units: their sums vary as sums of single pairs do, and a resample draws 100,000 numbers and not millions.
/// Pairs that share a subject are treated as independent, so intervals are too narrow where few subjects make
/// many pairs.
///
/// Statistics, in this order: accuracy, accuracy_std, accuracy_standard_error, eer, auc, d_prime,
/// best_accuracy; tar_at_far_* of reported_far; fmr, fnmr, hter and accuracy at the fixed threshold, if there
/// is one; then the true accept rate at band_far(). Definitions: verification.hpp.
class VerificationCurve : public BootstrapStatistics {
  public:
    static constexpr std::size_t max_units = 100000;

    VerificationCurve(const std::vector<VerificationPair>& pairs, std::optional<double> fixed_threshold);

    std::size_t units() const override { return moments_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }
    void evaluate(Weights weights, std::span<double> values) const override;

    const std::vector<double>& band_far() const { return band_far_; }
    std::size_t first_band() const { return quantities_.size() - band_far_.size(); }

    OperatingThresholds thresholds() const;
    std::vector<FoldResult> folds() const;
    /// A point per distinct score. If there are millions, only points that differ visibly: by 0.5 % in
    /// the false accepts or false rejects, or by 1/2000 of the genuine pairs. Points are copied,
    /// never interpolated.
    std::vector<VerificationPoint> points() const;
    std::size_t distinct_scores() const { return distinct_scores_; }

  private:
    struct Event {  // a pair, by falling score
        std::uint32_t unit = 0;
        std::uint16_t fold = 0;  // among those that occur
        bool same = false;
        bool ends_score = false;  // the last of its score
    };
    struct Moments {               // of a unit's scored pairs, with scores less their overall mean
        double count[2] = {0, 0};  // impostor, genuine
        double sum[2] = {0, 0};
        double squares[2] = {0, 0};
    };
    struct Totals {
        double genuine = 0;
        double impostors = 0;
    };
    class FoldChoice;
    template <class AtScore>
    void walk(Weights weights, AtScore&& at_score) const;
    Totals totals(Weights weights) const;
    double d_prime(Weights weights) const;
    FoldChoice choose_folds(Weights weights) const;
    void add_statistics();

    std::vector<Event> events_;  // scored pairs first, by falling score; then those without
    std::size_t scored_ = 0;
    std::size_t distinct_scores_ = 0;
    std::size_t above_fixed_ = 0;  // events at or above the fixed threshold
    bool has_fixed_ = false;
    std::vector<double> scores_;  // of the scored events
    std::vector<Moments> moments_;
    std::vector<std::int32_t> folds_;  // numbers of the folds that occur, rising
    std::size_t impostors_ = 0;
    std::vector<double> band_far_;
    std::vector<Quantity> quantities_;
};

}  // namespace fovea
