#pragma once

#include <optional>

namespace fovea {

/// How strongly a value is smoothed.
struct OneEuroOptions {
    double min_cutoff = 1;       ///< Hz, of a value that stands still; smaller = smoother
    double speed_factor = 0.01;  ///< Hz more for each unit of speed; larger = less lag
    double speed_cutoff = 1;     ///< Hz, of the speed itself
};

/// Smooths one value over time: strongly while it stands still, little while it moves, so that it neither
/// trembles nor lags.
/// Source: G. Casiez, N. Roussel, D. Vogel, "1 € filter: a simple speed-based low-pass filter for noisy input
/// in interactive systems", CHI 2012.
class OneEuroFilter {
  public:
    explicit OneEuroFilter(const OneEuroOptions& options = {}) : options_(options) {}

    /// Smooths the next value. \param seconds since the value before, above 0. \return the smoothed value;
    /// the first one as it is.
    double operator()(double value, double seconds);

  private:
    OneEuroOptions options_;
    std::optional<double> smoothed_;
    double before_ = 0;
    double speed_ = 0;  // smoothed, units a second
};

}  // namespace fovea
