#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

/// The error of a face, and the unit that is resampled with it: its image.
struct UnitError {
    double error = 0;  ///< >= 0; infinite for a face that was missed
    std::uint32_t unit = 0;
};

/// The errors of faces, sorted.
class ErrorDistribution {
  public:
    /// \throws std::invalid_argument if an error is negative or NaN.
    explicit ErrorDistribution(std::vector<UnitError> errors);

    std::span<const UnitError> errors() const { return errors_; }  ///< ascending, the infinite ones last
    std::span<const UnitError> found() const { return errors().first(found_); }  ///< the finite ones

  private:
    std::vector<UnitError> errors_;
    std::size_t found_ = 0;
};

/// An ErrorDistribution in which the faces of unit u count weights[u] times. All results are NaN where
/// there is nothing to divide by. Construction costs O(faces), each number O(log faces); the standard
/// deviation O(faces).
class WeightedErrors {
  public:
    /// The distribution must outlive it. \param weights one for every unit that occurs.
    WeightedErrors(const ErrorDistribution& distribution, Weights weights);

    /// Over the faces found.
    double mean() const;
    double standard_deviation() const;  ///< of these faces, divided by their number (not one less)
    /// The p-quantile of the faces found, p in [0, 1], interpolated between the two nearest ranks (R's type
    /// 7, as numpy's default); 0.5 is the median.
    double quantile(double p) const { return quantile_of(found_weight(), p); }

    /// The p-quantile of all faces. A missed face has an infinite error, so the quantile may be infinite.
    double quantile_with_missed(double p) const { return quantile_of(total_, p); }
    /// The cumulative error distribution (CED): the share of all faces with an error of at most `limit`.
    double share_up_to(double limit) const;
    /// 1 - share_up_to(limit): missed faces are failures.
    double failure_rate(double limit) const { return 1 - share_up_to(limit); }
    /// The area under the CED from 0 to `limit` (> 0), divided by `limit`: 1 if all errors are 0, 0 if all
    /// are above the limit. The CED is a step function and integrated as such: the mean over all faces of
    /// max(0, 1 - error / limit).
    double area_under_ced(double limit) const;

  private:
    double found_weight() const { return weights_.empty() ? 0 : weights_.back(); }
    std::size_t count_up_to(double limit) const;
    double error_at(double rank) const;
    double quantile_of(double weight, double p) const;

    const ErrorDistribution& distribution_;
    Weights unit_weights_;
    // Running totals over the faces found: of their weights, and of weight x error. Weights are whole
    // numbers, so that these totals are exact.
    std::vector<double> weights_;
    std::vector<double> sums_;
    double total_ = 0;  // the weight of all faces
};

}  // namespace fovea
