#include "lib/bench/report/bench_plots.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/bench_numbers.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/report/model/names.hpp"

namespace fovea::report {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t longest_name = 28;

/// The place of a name in a list, to which it is added if it is not there.
std::size_t place_in(Names& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    const auto place = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) names.push_back(name);
    return place;
}

// Sizes in the order of their pixels: lines from left to right must not turn back.
std::vector<std::size_t> sizes_by_pixels(const DetectionBenchmark& benchmark) {
    std::vector<std::size_t> order(benchmark.sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return benchmark.sizes[a].pixels < benchmark.sizes[b].pixels;
    });
    return order;
}

// Lines over the sizes; values of 0 are left out.
Plot by_size_plot(const DetectionBenchmark& benchmark, Plot plot,
                  const std::function<double(const Measurement&)>& value) {
    const std::vector<std::size_t> order = sizes_by_pixels(benchmark);
    std::vector<AxisMark> marks;
    Names names = measured_names(benchmark);
    std::vector<std::vector<PlotPoint>> points(names.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        marks.push_back({static_cast<double>(i), size_name(benchmark.sizes[order[i]].size)});
        for (const Measurement& measurement : benchmark.measurements) {
            const double y = value(measurement);
            if (measurement.size == order[i] && y > 0)
                points[place_in(names, measurement_name(measurement))].push_back({static_cast<double>(i), y});
        }
    }
    plot.x = category_axis("Image size", std::move(marks));
    plot.y.scale = Scale::log;
    plot.series = curves_of(names, std::move(points), Mark::line_dots);
    return plot;
}

/// Sum of the medians of what does not overlap: all parts but the wholes; 0 if none was measured.
double sum_of_parts(const EngineTimes& times) {
    double sum = 0;
    for (const BenchmarkPart& part : benchmark_parts()) {
        if (!part.whole) sum += median_time(times.*part.times);
    }
    return sum;
}

// A row a backend and batch that has parts at this size.
Plot parts_plot(const DetectionBenchmark& benchmark, std::size_t size) {
    Plot plot{"bench_parts", "Parts of the time, " + size_name(benchmark.sizes[size].size),
              "Medians of the parts as shares of their sum; on the right the total."};
    const auto& parts = benchmark_parts();
    for (std::size_t p = 0; p < parts.size(); ++p)
        plot.series.push_back({.name = parts[p].name, .mark = Mark::rects, .style = {.colour = p}});
    std::vector<AxisMark> rows;
    for (const Measurement& measurement : benchmark.measurements) {
        const double sum = sum_of_parts(measurement.ms_per_image);
        if (measurement.size != size || !(sum > 0)) continue;
        const auto row = static_cast<double>(rows.size());
        double left = 0;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const double ms = parts[p].whole ? 0 : median_time(measurement.ms_per_image.*parts[p].times);
            if (!(ms > 0)) continue;
            plot.series[p].rects.push_back(row_bar(left, left + ms / sum, row));
            plot.series[p].rects.back().note = fmt::format("{:.3g} ms", ms);
            left += ms / sum;
        }
        rows.push_back({row, shortened(measurement_name(measurement), longest_name),
                        fmt::format("{:.3g} ms", median_time(measurement.ms_per_image.total_ms))});
    }
    plot.x = share_axis("Share of the time");
    plot.y = row_axis("", std::move(rows));
    return plot;
}

// A row an optimisation, in it a bar a backend and batch.
Plot optimisations_plot(const DetectionBenchmark& benchmark, std::size_t size) {
    Plot plot{"bench_optimisations", "Gain of each optimisation, " + size_name(benchmark.sizes[size].size),
              "Total time without it over total time with it."};
    plot.x = {.label = "Time without it / time with it", .min = 0.9, .max = 1.1};
    plot.lines = {{.x = 1}};
    Names rows, names;
    for (const VariantMeasurement& variant : benchmark.variants) {
        if (variant.with.size == size) place_in(names, measurement_name(variant.with));
    }
    for (std::size_t i = 0; i < names.size(); ++i) plot.series.push_back(rival_series(names, i, Mark::rects));
    const double height = 0.76 / static_cast<double>(names.size());
    for (const VariantMeasurement& variant : benchmark.variants) {
        if (variant.with.size != size) continue;
        const auto row = static_cast<double>(place_in(rows, variant.optimisation));
        const double factor = variant_factor(variant);
        if (!(factor > 0)) continue;
        const std::size_t i = place_in(names, measurement_name(variant.with));
        const double y = row - 0.38 + height * (static_cast<double>(i) + 0.5);
        plot.series[i].rects.push_back(
            row_bar(std::min(1.0, factor), std::max(1.0, factor), y, 0.46 * height));
        plot.x.min = std::min(*plot.x.min, factor - 0.05);
        plot.x.max = std::max(*plot.x.max, factor * 1.04);
    }
    std::vector<AxisMark> marks;
    for (std::size_t i = 0; i < rows.size(); ++i)
        marks.push_back({static_cast<double>(i), shortened(rows[i], longest_name)});
    plot.y = row_axis("", std::move(marks));
    return plot;
}

// Shares are spread over five decades, so each class is one of them.
struct ShareClass {
    double from;
    const char* label;
    double strength;  ///< of the colour
};
constexpr std::array share_classes{
    ShareClass{0.5, "50 % and more", 1.0},     ShareClass{0.1, "10 to 50 %", 0.72},
    ShareClass{0.01, "1 to 10 %", 0.48},       ShareClass{0.001, "0.1 to 1 %", 0.28},
    ShareClass{0.0001, "0.01 to 0.1 %", 0.15}, ShareClass{0, "below 0.01 %", 0.07},
};

constexpr std::size_t max_stage_columns = 40;

// A field a stage and scale.
Plot rejections_plot(const DetectionBenchmark& benchmark, std::size_t size_index) {
    const MeasuredSize& size = benchmark.sizes[size_index];
    if (!size.rejections) return {};
    const std::vector<RejectionLevel>& levels = size.rejections->levels();
    const std::size_t all_stages = size.rejections->total().rejected.size();
    // Several look-ups of an MCT cascade, each of which is a stage, share a column.
    const std::size_t shared =
        std::max<std::size_t>(1, (all_stages + max_stage_columns - 1) / max_stage_columns);
    const std::size_t stages = (all_stages + shared - 1) / shared;
    const auto passed = static_cast<double>(stages + 1);
    Plot plot{"bench_rejections", "Windows rejected, " + size_name(size.size),
              "Share of the visited windows that each stage rejects, by scale."};
    plot.x = {.label = "Stage that rejected the window", .min = -1.6, .max = passed + 0.6};
    plot.y = {
        .label = "Window width in pixels", .min = -0.6, .max = static_cast<double>(levels.size()) - 0.4};
    plot.x.marks = {{-1, "flat"}, {passed, "passed"}};
    // Stages are counted from 1, as people do; few enough labels that none touches another.
    const std::size_t step = stages > 12 ? 5 : stages > 6 ? 2 : 1;
    for (std::size_t stage = 1; stage <= stages; ++stage) {
        if ((stage % step == 0 && stages - stage >= step / 2) || stage == 1)
            plot.x.marks.push_back({static_cast<double>(stage), std::to_string(stage * shared)});
    }
    for (const ShareClass& of : share_classes) plot.series.push_back({.name = of.label, .mark = Mark::rects});
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const RejectionLevel& level = levels[i];
        const auto y = static_cast<double>(i);
        if (i % (levels.size() / 12 + 1) == 0) plot.y.marks.push_back({y, std::to_string(level.box.width)});
        const auto put = [&](std::int64_t count, double x) {
            if (count == 0) return;
            const double share = level.share(count);
            std::size_t c = 0;
            while (share < share_classes[c].from) ++c;
            plot.series[c].rects.push_back({x - 0.5, x + 0.5, y - 0.5, y + 0.5, share_classes[c].strength,
                                            small_share_cell(share).text});
        };
        put(level.flat, -1);
        for (std::size_t stage = 0; stage < stages; ++stage) {
            const auto first = level.rejected.begin() + static_cast<std::ptrdiff_t>(stage * shared);
            const auto end = level.rejected.begin() +
                             static_cast<std::ptrdiff_t>(std::min((stage + 1) * shared, all_stages));
            put(std::accumulate(first, end, std::int64_t{0}), static_cast<double>(stage + 1));
        }
        put(level.passed, passed);
    }
    return plot;
}

/// The plot of the largest size for which there is something to see.
void add_of_largest(std::vector<Plot>& plots, const DetectionBenchmark& benchmark,
                    Plot (*plot_of)(const DetectionBenchmark& benchmark, std::size_t size)) {
    std::vector<std::size_t> order = sizes_by_pixels(benchmark);
    std::reverse(order.begin(), order.end());
    for (const std::size_t size : order) {
        Plot plot = plot_of(benchmark, size);
        std::erase_if(plot.series, [](const Series& series) { return series.rects.empty(); });
        if (plot.series.empty()) continue;
        plots.push_back(std::move(plot));
        return;
    }
}

}  // namespace

std::vector<std::string> measured_names(const DetectionBenchmark& benchmark) {
    Names names;
    for (const Measurement& measurement : benchmark.measurements)
        place_in(names, measurement_name(measurement));
    return names;
}

std::vector<Plot> benchmark_plots(const DetectionBenchmark& benchmark) {
    if (benchmark.measurements.empty()) return {};
    Plot frames{"bench_frames", "Frames per second by image size",
                "From grey pixels in host memory to boxes in host memory, median."};
    frames.y.label = "Frames/s";
    std::vector<Plot> plots{
        by_size_plot(benchmark, std::move(frames), [](const auto& m) { return frames_per_second(m); })};
    Plot speedups{"bench_speedup", "Speed-up by image size",
                  "Times as fast as the CPU with the fewest threads, one image at a time."};
    speedups.y.label = "Times as fast";
    speedups =
        by_size_plot(benchmark, std::move(speedups), [&](const auto& m) { return speedup(benchmark, m); });
    if (!speedups.series.empty() && measured_names(benchmark).size() > 1)
        plots.push_back(std::move(speedups));
    for (const auto plot_of : {parts_plot, rejections_plot, optimisations_plot})
        add_of_largest(plots, benchmark, plot_of);
    return plots;
}

}  // namespace fovea::report
