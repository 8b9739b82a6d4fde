#include "lib/bench/report/bench_plots.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "lib/bench/report/bench_numbers.hpp"
#include "lib/bench/report/bench_scripts.hpp"
#include "lib/core/text.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

DrawnPlot drawn(const std::string& stem, const std::string& title, const std::string& caption,
                const BenchScript& script) {
    return draw_plot_with_key(stem, title, caption, script.commands, script.key_rows);
}

// Names of the lines, each backend and batch once, in the order of measurement.
Names series_of(const DetectionBenchmark& benchmark) {
    Names names;
    for (const Measurement& measurement : benchmark.measurements) {
        const std::string name = measurement_name(measurement);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

// Sizes in the order of their pixels: lines from left to right must not turn back.
std::vector<std::size_t> sizes_by_pixels(const DetectionBenchmark& benchmark) {
    std::vector<std::size_t> order(benchmark.sizes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return benchmark.sizes[a].pixels < benchmark.sizes[b].pixels;
    });
    return order;
}

// The largest size for which there is something to show.
template <class Has>
std::optional<std::size_t> largest_size(const DetectionBenchmark& benchmark, const Has& has) {
    std::optional<std::size_t> largest;
    for (const std::size_t size : sizes_by_pixels(benchmark)) {
        if (has(size)) largest = size;
    }
    return largest;
}

// --- by size ---------------------------------------------------------------------------------------

// From below the lowest to above the highest value, marked at 1, 2 and 5 of every decade.
PlotScript logarithmic_axis(double lowest, double highest) {
    if (!(highest > 0)) return {};
    const double from = lowest / 1.5;
    const double to = highest * 1.5;
    const bool crowded = to / from > 2e4;  // then the powers of ten alone are labelled
    Tics tics;
    for (double decade = std::pow(10.0, std::floor(std::log10(from))); decade <= to; decade *= 10) {
        for (const int digit : {1, 2, 5}) {
            const double at = digit * decade;
            if (at < from || at > to) continue;
            const std::string label = at >= 1000 ? grouped(std::llround(at)) : compact(at);
            tics.add(crowded && digit != 1 ? "" : label, plot_script("{:.6g}", at));
        }
    }
    return plot_script("set logscale y\nset yrange [{:.6g}:{:.6g}]\nset ytics {}\n", from, to, tics.script());
}

using Value = std::function<double(const Measurement&)>;

// Lines over the sizes; values of 0 are left out.
BenchScript by_size_script(const DetectionBenchmark& benchmark, const Names& series,
                           const std::string& y_label, const Value& value) {
    const std::vector<std::size_t> order = sizes_by_pixels(benchmark);
    Tics tics;
    for (std::size_t i = 0; i < order.size(); ++i) {
        tics.add(size_name(benchmark.sizes[order[i]].size), plot_script("{}", i));
    }
    PlotScript script = axis_labels("Image size", y_label) +
                        plot_script("set xrange [-0.4:{:.6g}]\nset xtics {}\n",
                                    static_cast<double>(order.size()) - 0.6, tics.script());
    double lowest = std::numeric_limits<double>::infinity();
    double highest = 0;
    for (const Measurement& measurement : benchmark.measurements) {
        const double y = value(measurement);
        if (!(y > 0)) continue;
        lowest = std::min(lowest, y);
        highest = std::max(highest, y);
    }
    script += logarithmic_axis(lowest, highest);
    std::vector<PlotScript> parts;
    for (std::size_t s = 0; s < series.size(); ++s) {
        std::vector<CurvePoint> points;
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (const Measurement& measurement : benchmark.measurements) {
                if (measurement.size != order[i] || measurement_name(measurement) != series[s]) continue;
                const double y = value(measurement);
                if (y > 0) points.push_back({static_cast<double>(i), y});
            }
        }
        if (points.empty()) continue;
        script += curve_block(plot_script("series{}", s), points);
        parts.push_back(plot_script("$series{} using 1:2 with linespoints pt {} ps 0.7 lw 2 {} {} title {}",
                                    s, 5 + 2 * (s % 5), dash(s), line_colour(s), key_name(series[s])));
    }
    return {script + plot_command(parts), parts.size()};
}

}  // namespace

std::vector<DrawnPlot> benchmark_plots(const DetectionBenchmark& benchmark) {
    std::vector<DrawnPlot> plots;
    if (benchmark.measurements.empty()) return plots;
    const Names series = series_of(benchmark);
    plots.push_back(drawn("bench_frames", "Frames per second by image size",
                          "From grey pixels in host memory to boxes in host memory, median.",
                          by_size_script(benchmark, series, "Frames/s",
                                         [](const Measurement& m) { return frames_per_second(m); })));
    const bool has_speedup =
        series.size() > 1 && std::any_of(benchmark.measurements.begin(), benchmark.measurements.end(),
                                         [&](const auto& m) { return speedup(benchmark, m) > 0; });
    if (has_speedup) {
        plots.push_back(drawn("bench_speedup", "Speed-up by image size",
                              "Times as fast as the CPU with the fewest threads, one image at a time.",
                              by_size_script(benchmark, series, "Times as fast",
                                             [&](const auto& m) { return speedup(benchmark, m); })));
    }
    const auto with_parts = largest_size(benchmark, [&](std::size_t size) {
        return std::any_of(benchmark.measurements.begin(), benchmark.measurements.end(),
                           [&](const auto& m) { return m.size == size && sum_of_parts(m.ms_per_image) > 0; });
    });
    if (with_parts) {
        const BenchScript script = parts_script(benchmark, *with_parts);
        plots.push_back(
            drawn("bench_parts", "Parts of the time, " + size_name(benchmark.sizes[*with_parts].size),
                  "Medians of the parts as shares of their sum; on the right the total.", script));
    }
    const auto with_rejections = largest_size(
        benchmark, [&](std::size_t size) { return benchmark.sizes[size].rejections.has_value(); });
    if (with_rejections && !benchmark.sizes[*with_rejections].rejections->levels().empty()) {
        const BenchScript script = rejections_script(*benchmark.sizes[*with_rejections].rejections);
        plots.push_back(drawn("bench_rejections",
                              "Windows rejected, " + size_name(benchmark.sizes[*with_rejections].size),
                              "Share of the visited windows that each stage rejects, by scale.", script));
    }
    const auto with_variants = largest_size(benchmark, [&](std::size_t size) {
        return std::any_of(benchmark.variants.begin(), benchmark.variants.end(),
                           [&](const auto& v) { return v.with.size == size; });
    });
    if (with_variants) {
        const BenchScript script = optimisations_script(benchmark, *with_variants);
        plots.push_back(drawn("bench_optimisations",
                              "Gain of each optimisation, " + size_name(benchmark.sizes[*with_variants].size),
                              "Total time without it over total time with it.", script));
    }
    return plots;
}

}  // namespace fovea::report
