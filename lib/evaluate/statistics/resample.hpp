#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/core/share_progress.hpp"
#include "lib/numbers/number.hpp"

namespace fovea {

/// How often a resample holds each unit.
using Weights = std::span<const std::uint16_t>;

/// An evaluation whose numbers can be computed anew from any multiset of its units: the images of a
/// detector's evaluation, the faces' images of a landmarker's, the pairs or probes of a recogniser's.
class BootstrapStatistics {
  public:
    virtual ~BootstrapStatistics() = default;

    virtual std::size_t units() const = 0;

    virtual const std::vector<Quantity>& quantities() const = 0;

    /// The numbers when unit u counts weights[u] times.
    ///
    /// \param weights one for every unit.
    /// \param values receives one number for every statistic, in their order; NaN where it is undefined
    /// (nothing to divide by). Thread-safe. The values are the evaluation's own numbers if every weight is 1.
    virtual void evaluate(Weights weights, std::span<double> values) const = 0;
};

/// Every statistic's value with its 95 % percentile bootstrap interval: as many units as there are are drawn
/// with replacement, `resamples` times, and the interval is from the 2.5 % to the 97.5 % quantile of the
/// values of the resamples in which the statistic is defined. Resamples that all agree (every face is found,
/// and so in every resample) would give no interval: a share gets Wilson's instead (metrics.hpp), which takes
/// faces, pairs or probes to be independent.
///
/// Deterministic: resample i is drawn by std::mt19937_64 seeded with `seed` and i, and mapped to units by
/// this function itself; the result depends neither on the number of threads nor on the standard library.
/// Source: B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
/// \param progress  is told the share of the resamples that are done.
Numbers bootstrap_estimates(const BootstrapStatistics& evaluation, int resamples, std::uint64_t seed,
                            const ShareProgress& progress = {});

/// A statistic of two evaluations of the same units.
struct PairedNumber {
    Quantity quantity;
    std::optional<double> first;
    std::optional<double> second;
    std::optional<double> difference;  ///< second - first
    std::optional<Interval> ci95;      ///< of the difference, by resampling both alike
    /// Two-sided: twice the smaller share of resamples with a difference <= 0 or >= 0 (their number and the
    /// original's both plus one), at most 1.
    std::optional<double> p_value;
};

/// Differences between two evaluations with units in the same order, by the paired bootstrap: every resample
/// draws the same units for both. Statistics are those that both have by key.
/// \throws Error if the numbers of units differ.
std::vector<PairedNumber> paired_bootstrap(const BootstrapStatistics& first,
                                           const BootstrapStatistics& second, int resamples,
                                           std::uint64_t seed);

}  // namespace fovea
