#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

namespace fovea {

/// Measures the seconds since its construction, on the host.
class Stopwatch {
  public:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

/// The seconds that work() takes on the host.
template <class Work>
double host_seconds(const Work& work) {
    const Stopwatch watch;
    work();
    return watch.seconds();
}

/// The results of `repeat` calls (at least one) of seconds_of_one(), after a first call that is not counted:
/// it brings pages, caches, clocks and lazily loaded code into their state.
template <class Measure>
std::vector<double> repeated(int repeat, const Measure& seconds_of_one) {
    seconds_of_one();
    std::vector<double> seconds(static_cast<std::size_t>(std::max(repeat, 1)));
    for (double& second : seconds) second = seconds_of_one();
    return seconds;
}

/// The number of iterations, 1 to 2^30, that take about `seconds`. `iterations` is doubled until it takes a
/// tenth of that, so that the cost of starting counts little, and then scaled.
/// \param seconds_of measures a number of iterations.
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
