#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

namespace fovea {

/// Seconds on the host since it was made.
class Stopwatch {
  public:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

/// Seconds on the host that `work()` takes.
template <class Work>
double host_seconds(const Work& work) {
    const Stopwatch watch;
    work();
    return watch.seconds();
}

/// `seconds_of_one()` once for nothing, so that pages, caches, clocks and lazily loaded code are there, then
/// `repeat` times for the record.
template <class Measure>
std::vector<double> repeated(int repeat, const Measure& seconds_of_one) {
    seconds_of_one();
    std::vector<double> seconds(static_cast<std::size_t>(std::max(repeat, 1)));
    for (double& second : seconds) second = seconds_of_one();
    return seconds;
}

/// How many iterations take about `seconds`: doubled from `iterations` on until a tenth of it is reached, so
/// that the cost of starting counts little, then scaled. At most 2^30.
template <class Measure>
int calibrated_iterations(double seconds, int iterations, const Measure& seconds_of) {
    constexpr int most = 1 << 30;
    double taken = seconds_of(iterations);
    while (taken < seconds / 10 && iterations <= most / 2) {
        iterations *= 2;
        taken = seconds_of(iterations);
    }
    const double wanted = std::ceil(iterations * seconds / std::max(taken, 1e-9));
    return static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(most)));
}

}  // namespace fovea
