#include "lib/track/one_euro.hpp"

#include <cmath>
#include <numbers>

namespace fovea {
namespace {

/// The weight of a new value in an exponential mean with this cut-off frequency.
double weight_of_new(double cutoff, double seconds) {
    const double time_constant = 1 / (2 * std::numbers::pi * cutoff);
    return 1 / (1 + time_constant / seconds);
}

}  // namespace

double OneEuroFilter::operator()(double value, double seconds) {
    if (!smoothed_) {
        before_ = value;
        smoothed_ = value;
        return value;
    }
    const double speed = (value - before_) / seconds;
    before_ = value;
    speed_ += weight_of_new(options_.speed_cutoff, seconds) * (speed - speed_);
    const double cutoff = options_.min_cutoff + options_.speed_factor * std::abs(speed_);
    *smoothed_ += weight_of_new(cutoff, seconds) * (value - *smoothed_);
    return *smoothed_;
}

}  // namespace fovea
