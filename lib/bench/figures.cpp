#include "lib/bench/figures.hpp"

#include <cmath>

#include "lib/core/time_summary.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

Figure named(const std::string& device, const FigureName& name, const std::string& unit,
             const Timing& timing) {
    Figure figure;
    figure.device = device;
    figure.name = name.name;
    figure.title = name.title;
    figure.unit = unit;
    figure.bounds = name.bounds;
    figure.repetitions = static_cast<int>(timing.seconds.size());
    return figure;
}

TimeSummary summary_of(const Timing& timing) {
    std::vector<double> times_ms = timing.seconds;
    for (double& time : times_ms) time *= 1e3;
    return summarise_times(std::move(times_ms));
}

// Nothing here is known to more than four digits.
double rounded(double value) {
    if (value == 0 || !std::isfinite(value)) return value;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
    // Divided by a whole number, a decimal fraction comes out as the nearest double and prints short.
    return unit < 1 ? std::round(value / unit) / std::round(1 / unit) : std::round(value / unit) * unit;
}

}  // namespace

Figure rate_figure(const std::string& device, const FigureName& name, const std::string& unit, double scale,
                   const Timing& timing) {
    Figure figure = named(device, name, unit, timing);
    const TimeSummary times = summary_of(timing);
    const auto rate = [&](double time_ms) { return timing.work / scale / (time_ms / 1e3); };
    figure.median = rate(times.median_ms);
    figure.quartile_1 = rate(times.quartile_3_ms);
    figure.quartile_3 = rate(times.quartile_1_ms);
    figure.best = rate(times.min_ms);
    return figure;
}

Figure latency_figure(const std::string& device, const FigureName& name, const Timing& timing) {
    Figure figure = named(device, name, "µs", timing);
    const TimeSummary times = summary_of(timing);
    const auto latency = [&](double time_ms) { return time_ms * 1e3 / timing.work; };
    figure.median = latency(times.median_ms);
    figure.quartile_1 = latency(times.quartile_1_ms);
    figure.quartile_3 = latency(times.quartile_3_ms);
    figure.best = latency(times.min_ms);
    return figure;
}

Json figure_json(const Figure& figure) {
    return {{"device", figure.device},
            {"name", figure.name},
            {"median", rounded(figure.median)},
            {"quartile_1", rounded(figure.quartile_1)},
            {"quartile_3", rounded(figure.quartile_3)},
            {"best", rounded(figure.best)},
            {"unit", figure.unit},
            {"repetitions", figure.repetitions},
            {"bounds", figure.bounds}};
}

}  // namespace fovea
