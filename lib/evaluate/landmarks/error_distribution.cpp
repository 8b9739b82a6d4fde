#include "lib/evaluate/landmarks/error_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {}  // namespace

ErrorDistribution::ErrorDistribution(std::vector<UnitError> errors) : errors_(std::move(errors)) {
    for (const UnitError& face : errors_) {
        if (!(face.error >= 0)) throw std::invalid_argument("an error is negative or not a number");
        found_ += std::isfinite(face.error) ? 1 : 0;
    }
    // The unit orders equal errors: sums then do not depend on the order in which the faces came.
    std::sort(errors_.begin(), errors_.end(), [](const UnitError& a, const UnitError& b) {
        return a.error != b.error ? a.error < b.error : a.unit < b.unit;
    });
}

WeightedErrors::WeightedErrors(const ErrorDistribution& distribution, Weights weights)
    : distribution_(distribution), unit_weights_(weights) {
    const std::span<const UnitError> found = distribution.found();
    weights_.resize(found.size());
    sums_.resize(found.size());
    double weight = 0;
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double own = weights[found[i].unit];
        weight += own;
        sum += own * found[i].error;
        weights_[i] = weight;
        sums_[i] = sum;
    }
    total_ = weight;
    for (const UnitError& missed : distribution.errors().subspan(found.size()))
        total_ += weights[missed.unit];
}

std::size_t WeightedErrors::count_up_to(double limit) const {
    const std::span<const UnitError> found = distribution_.found();
    return static_cast<std::size_t>(
        std::upper_bound(found.begin(), found.end(), limit,
                         [](double value, const UnitError& face) { return value < face.error; }) -
        found.begin());
}

double WeightedErrors::mean() const {
    return defined_rate(sums_.empty() ? 0 : sums_.back(), found_weight());
}

double WeightedErrors::standard_deviation() const {
    if (!(found_weight() > 0)) return undefined;
    const double middle = mean();
    double squares = 0;
    for (const UnitError& face : distribution_.found()) {
        squares += unit_weights_[face.unit] * (face.error - middle) * (face.error - middle);
    }
    return std::sqrt(squares / found_weight());
}

double WeightedErrors::error_at(double rank) const {
    // The first face up to which more than `rank` are counted; what lies behind the last was missed.
    const auto at = std::upper_bound(weights_.begin(), weights_.end(), rank) - weights_.begin();
    return static_cast<std::size_t>(at) == weights_.size()
               ? std::numeric_limits<double>::infinity()
               : distribution_.found()[static_cast<std::size_t>(at)].error;
}

double WeightedErrors::quantile_of(double weight, double p) const {
    if (!(weight > 0)) return undefined;
    const double position = p * (weight - 1);
    const double below = error_at(std::floor(position));
    const double part = position - std::floor(position);
    if (part == 0 || std::isinf(below)) return below;
    return below + part * (error_at(std::floor(position) + 1) - below);
}

double WeightedErrors::share_up_to(double limit) const {
    if (!(total_ > 0)) return undefined;
    const std::size_t count = count_up_to(limit);
    return count == 0 ? 0 : weights_[count - 1] / total_;
}

double WeightedErrors::area_under_ced(double limit) const {
    if (!(total_ > 0)) return undefined;
    const std::size_t count = count_up_to(limit);
    return count == 0 ? 0 : (limit * weights_[count - 1] - sums_[count - 1]) / (limit * total_);
}

}  // namespace fovea
