#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/numbers/number.hpp"

namespace fovea {

/// How often a resample holds each unit.
using Weights = std::span<const std::uint16_t>;

/// An evaluation whose numbers can be computed anew from any multiset of its units: the images of a
/// detector's evaluation, the faces' images of a landmarker's, the pairs, probes or subjects of a
/// recogniser's.
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

/// Every statistic's value with its 95 % percentile bootstrap interval. Each of `resamples` resamples
/// draws, with replacement, as many units as there are; the interval runs from the 2.5 % to the 97.5 %
/// quantile over the resamples in which the statistic is defined. If all resamples agree (every face is
/// found), a share gets Wilson's interval instead (wilson_interval.hpp), which takes faces, pairs or probes
/// to be independent.
///
/// Deterministic: repetition_generator(seed, i) and draw_below() draw resample i, so that the result depends
/// neither on the number of threads nor on the standard library. Source: B. Efron, R. J. Tibshirani, "An
/// Introduction to the Bootstrap", 1993, chapter 13.
/// \param progress is told the share of the resamples that are done.
Numbers bootstrap_estimates(const BootstrapStatistics& evaluation, int resamples, std::uint64_t seed,
                            const ShareProgress& progress = {});

/// A statistic of two evaluations of the same units.
struct PairedNumber {
    Quantity quantity;
    std::optional<double> first;
    std::optional<double> second;
    std::optional<double> difference;  ///< second - first
    std::optional<Interval> ci95;      ///< of the difference, by resampling both alike
    /// Two-sided: twice the smaller one of the shares of resamples with a difference <= 0 and with one >= 0,
    /// at most
    /// 1. Counts and their total have one added.
    std::optional<double> p_value;
};

/// Differences between two evaluations with units in the same order, by the paired bootstrap: every resample
/// draws the same units for both. The statistics are the ones whose keys both have.
/// \throws Error if the numbers of units differ.
std::vector<PairedNumber> paired_bootstrap(const BootstrapStatistics& first,
                                           const BootstrapStatistics& second, int resamples,
                                           std::uint64_t seed);

}  // namespace fovea
