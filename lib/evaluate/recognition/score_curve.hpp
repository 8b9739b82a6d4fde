#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fovea {

// Numbers that are read off a curve of accepted positives over accepted negatives in one walk by falling
// threshold. A comparison is accepted when its score is at least the threshold; positives are genuine pairs
// or mated probes, negatives impostor pairs or unmated probes. Points come once per distinct score, after all
// comparisons of that score; before the first one nothing is accepted. Counts may be weighted.

/// True if a rate accepted / all is at most `rate`; a rounding error in rate * all does not shut
/// out equality.
bool within_rate(double accepted, double all, double rate);

/// The positives accepted at allowed false rates: at the loosest threshold at which the share of accepted
/// negatives is at most the rate. A threshold above all scores, which accepts nothing, always qualifies.
class AcceptedAtFalseRates {
  public:
    /// \param rates by rising rate.
    AcceptedAtFalseRates(const std::vector<double>& rates, double negatives)
        : rates_(rates), negatives_(negatives), accepted_(rates.size()), places_(rates.size()) {}

    /// \param place names the threshold, for places().
    void point(double positives_accepted, double negatives_accepted, std::size_t place) {
        while (next_ < rates_.size() && !within_rate(negatives_accepted, negatives_, rates_[next_])) settle();
        last_accepted_ = positives_accepted;
        last_place_ = place;
    }
    /// Call it after the last point.
    void finish() {
        while (next_ < rates_.size()) settle();
    }

    const std::vector<double>& accepted() const { return accepted_; }
    /// The places of these thresholds; none where only the threshold above all scores qualifies.
    const std::vector<std::optional<std::size_t>>& places() const { return places_; }

  private:
    void settle() {
        accepted_[next_] = last_accepted_;
        places_[next_++] = last_place_;
    }

    const std::vector<double>& rates_;
    double negatives_;
    std::vector<double> accepted_;
    std::vector<std::optional<std::size_t>> places_;
    std::size_t next_ = 0;
    double last_accepted_ = 0;
    std::optional<std::size_t> last_place_;
};

/// Equal error rate: where the polyline through the points (FMR, FNMR), which begins at (0, 1), meets FMR
/// = FNMR. Between the last point with FMR < FNMR and the first with FMR >= FNMR both rates are
/// interpolated linearly.
class EqualErrorRate {
  public:
    EqualErrorRate(double positives, double negatives) : positives_(positives), negatives_(negatives) {}

    void point(double positives_accepted, double negatives_accepted, std::size_t place);

    /// None if FNMR stays above FMR at every threshold, which failures to enrol can cause.
    std::optional<double> value() const { return value_; }
    /// The threshold of the one of the two points at which the rates differ less; the stricter one if equal.
    /// None at the upper end of the curve, where nothing is accepted.
    std::optional<std::size_t> place() const { return place_; }

  private:
    double positives_;
    double negatives_;
    double last_false_match_ = 0;
    double last_false_non_match_ = 1;
    std::optional<std::size_t> last_place_;
    std::optional<double> value_;
    std::optional<std::size_t> place_;
};

/// A rate as keys and sentences hold it: 0.0001 as "0.0001", not as a power of ten.
std::string rate_text(double rate);

/// False rates 10^(-k/8) from 1 down to the least that `negatives` can show, 1 / negatives, at most 65 of
/// them, by rising rate: where curves get their bands.
std::vector<double> false_rate_grid(std::size_t negatives);

}  // namespace fovea
