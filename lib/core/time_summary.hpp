#pragma once

#include <vector>

namespace fovea {

/// A summary of repeated measurements of one time. Quantiles are interpolated linearly between measurements.
struct TimeSummary {
    double median_ms = 0;
    double min_ms = 0;
    double quartile_1_ms = 0;
    double quartile_3_ms = 0;
};

/// \param times_ms at least one.
TimeSummary summarise_times(std::vector<double> times_ms);

/// The median of repeated measurements, in their unit; 0 without any.
double median_time(const std::vector<double>& times);

}  // namespace fovea
