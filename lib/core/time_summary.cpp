#include "lib/core/time_summary.hpp"

#include <algorithm>
#include <cstddef>

namespace fovea {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

TimeSummary summarise_times(std::vector<double> times_ms) {
    std::sort(times_ms.begin(), times_ms.end());
    return {quantile(times_ms, 0.5), times_ms.front(), quantile(times_ms, 0.25), quantile(times_ms, 0.75)};
}

double median_time(const std::vector<double>& times) {
    return times.empty() ? 0 : summarise_times(times).median_ms;
}

}  // namespace fovea
