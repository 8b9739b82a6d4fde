#include "lib/report/bench_plots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include <spdlog/fmt/fmt.h>

#include "lib/pipeline/time_summary.hpp"
#include "lib/report/bench_numbers.hpp"
#include "lib/report/format.hpp"
#include "lib/report/gnuplot.hpp"
#include "lib/report/palette.hpp"
#include "lib/report/plot_script.hpp"
#include "lib/report/svg.hpp"

namespace fovea::report {
namespace {

Plot drawn(const std::string& stem, const std::string& title, const std::string& caption,
           std::size_t key_rows, const std::string& script) {
    Plot plot{stem, title, caption, tidy_svg(run_gnuplot(prelude(key_rows) + script), title), {}};
    plot.bare_svg = plot.svg;
    return plot;
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
std::string logarithmic_axis(double lowest, double highest) {
    if (!(highest > 0)) return "";
    const double from = lowest / 1.5;
    const double to = highest * 1.5;
    const bool crowded = to / from > 2e4;  // then the powers of ten alone are labelled
    std::string ticks;
    for (double decade = std::pow(10.0, std::floor(std::log10(from))); decade <= to; decade *= 10) {
        for (const int digit : {1, 2, 5}) {
            const double at = digit * decade;
            if (at < from || at > to) continue;
            const std::string label = at >= 1000 ? grouped(std::llround(at)) : compact(at);
            ticks += fmt::format("{}'{}' {:.6g}", ticks.empty() ? "" : ", ",
                                 crowded && digit != 1 ? "" : label, at);
        }
    }
    return fmt::format("set logscale y\nset yrange [{:.6g}:{:.6g}]\nset ytics ({})\n", from, to, ticks);
}

using Value = std::function<double(const Measurement&)>;

// Lines over the sizes; values of 0 are left out.
std::string by_size_script(const DetectionBenchmark& benchmark, const Names& series,
                           const std::string& y_label, const Value& value) {
    const std::vector<std::size_t> order = sizes_by_pixels(benchmark);
    std::string script =
        axis_labels("Image size", y_label) +
        fmt::format("set xrange [-0.4:{:.6g}]\nset xtics (", static_cast<double>(order.size()) - 0.6);
    for (std::size_t i = 0; i < order.size(); ++i) {
        script += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                              gnuplot_quoted(size_name(benchmark.sizes[order[i]].size)), i);
    }
    script += ")\n";
    double lowest = std::numeric_limits<double>::infinity();
    double highest = 0;
    for (const Measurement& measurement : benchmark.measurements) {
        const double y = value(measurement);
        if (!(y > 0)) continue;
        lowest = std::min(lowest, y);
        highest = std::max(highest, y);
    }
    script += logarithmic_axis(lowest, highest);
    std::vector<std::string> parts;
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
        script += data_block(fmt::format("series{}", s), points);
        parts.push_back(
            fmt::format("$series{} using 1:2 with linespoints pt {} ps 0.7 lw 2 {} lc rgb '{}' title {}", s,
                        5 + 2 * (s % 5), dash(s), series_colour(s), gnuplot_quoted(key_name(series[s]))));
    }
    return script + plot_command(parts);
}

// --- bars ------------------------------------------------------------------------------------------

// Rows from top to bottom, named on the left.
std::string rows_axis(const Names& rows) {
    std::string script =
        fmt::format("set yrange [{:.6g}:-0.6]\nset ytics scale 0 (", static_cast<double>(rows.size()) - 0.4);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        script += fmt::format("{}{} {}", i == 0 ? "" : ", ", gnuplot_quoted(shortened(rows[i], 28)), i);
    }
    return script + ")\nset grid noytics xtics\n";
}

// A bar: left, right, top, bottom, as with boxxyerror reads them.
std::string bar(double left, double right, double top, double bottom) {
    return fmt::format("{:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g}\n", (left + right) / 2, (top + bottom) / 2,
                       left, right, top, bottom);
}

std::string bars_plot(const std::string& block, const std::string& colour, const std::string& title) {
    return fmt::format("${} using 1:2:3:4:5:6 with boxxyerror fs solid 1 noborder lc rgb '{}' title {}",
                       block, colour, gnuplot_quoted(title));
}

double median_of(const std::vector<double>& times_ms) {
    return times_ms.empty() ? 0 : summarise_times(times_ms).median_ms;
}

double sum_of_parts(const EngineTimes& times) {
    double sum = 0;
    for (const BenchmarkPart& part : benchmark_parts()) {
        const bool whole = part.times == &EngineTimes::resident_ms || part.times == &EngineTimes::total_ms;
        if (!whole) sum += median_of(times.*part.times);
    }
    return sum;
}

std::string parts_script(const DetectionBenchmark& benchmark, std::size_t size, std::size_t& key_rows) {
    Names rows;
    std::vector<const Measurement*> shown;
    for (const Measurement& measurement : benchmark.measurements) {
        if (measurement.size != size || !(sum_of_parts(measurement.ms_per_image) > 0)) continue;
        shown.push_back(&measurement);
        rows.push_back(measurement_name(measurement));
    }
    std::string script = fmt::format("set xlabel 'Share of the time' tc rgb '{}'\n", palette::ink) +
                         percent_axis('x') + rows_axis(rows) + "set rmargin 12\n";
    std::vector<std::string> blocks(benchmark_parts().size());
    for (std::size_t row = 0; row < shown.size(); ++row) {
        const EngineTimes& times = shown[row]->ms_per_image;
        const double sum = sum_of_parts(times);
        double left = 0;
        const auto y = static_cast<double>(row);
        for (std::size_t p = 0; p + 2 < blocks.size(); ++p) {
            const double width = 100 * median_of(times.*benchmark_parts()[p].times) / sum;
            if (width > 0) blocks[p] += bar(left, left + width, y - 0.32, y + 0.32);
            left += width;
        }
        script += fmt::format("set label {} at graph 1.02, first {} left tc rgb '{}'\n",
                              gnuplot_quoted(fmt::format("{:.3g} ms", median_of(times.total_ms))), row,
                              palette::ink);
    }
    std::vector<std::string> parts;
    for (std::size_t p = 0; p < blocks.size(); ++p) {
        if (blocks[p].empty()) continue;
        script += fmt::format("$part{} << END\n{}END\n", p, blocks[p]);
        parts.push_back(bars_plot(fmt::format("part{}", p), series_colour(p), benchmark_parts()[p].name));
    }
    key_rows = parts.size();
    return script + plot_command(parts);
}

std::string optimisations_script(const DetectionBenchmark& benchmark, std::size_t size,
                                 std::size_t& key_rows) {
    Names rows;
    Names series;
    for (const VariantMeasurement& variant : benchmark.variants) {
        if (variant.with.size != size) continue;
        const std::string name = measurement_name(variant.with);
        if (std::find(rows.begin(), rows.end(), variant.optimisation) == rows.end()) {
            rows.push_back(variant.optimisation);
        }
        if (std::find(series.begin(), series.end(), name) == series.end()) series.push_back(name);
    }
    std::vector<std::string> blocks(series.size());
    const double height = 0.76 / static_cast<double>(series.size());
    double lowest = 1;
    double highest = 1;
    for (const VariantMeasurement& variant : benchmark.variants) {
        const double factor = variant_factor(variant);
        if (variant.with.size != size || !(factor > 0)) continue;
        const auto row = std::find(rows.begin(), rows.end(), variant.optimisation) - rows.begin();
        const auto s =
            std::find(series.begin(), series.end(), measurement_name(variant.with)) - series.begin();
        const double top = static_cast<double>(row) - 0.38 + height * static_cast<double>(s);
        blocks[static_cast<std::size_t>(s)] +=
            bar(std::min(1.0, factor), std::max(1.0, factor), top, top + 0.92 * height);
        lowest = std::min(lowest, factor);
        highest = std::max(highest, factor);
    }
    std::string script =
        fmt::format("set xlabel 'Time without it / time with it' tc rgb '{}'\n", palette::ink) +
        rows_axis(rows) +
        fmt::format("set xrange [{:.6g}:{:.6g}]\n", std::min(0.9, lowest - 0.05),
                    std::max(1.1, highest * 1.04)) +
        fmt::format("set arrow from first 1, graph 0 to first 1, graph 1 nohead front lw 1.2 lc rgb '{}'\n",
                    palette::ink);
    std::vector<std::string> parts;
    for (std::size_t s = 0; s < series.size(); ++s) {
        script += fmt::format("$variant{} << END\n{}END\n", s, blocks[s]);
        if (blocks[s].empty()) continue;
        parts.push_back(bars_plot(fmt::format("variant{}", s), series_colour(s), series[s]));
    }
    key_rows = parts.size();
    return script + plot_command(parts);
}

// --- rejections ------------------------------------------------------------------------------------

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

// The colour mixed with the paper.
std::string shade(const std::string& colour, double strength) {
    std::string mixed = "#";
    for (const std::size_t at : {1U, 3U, 5U}) {
        const double full = std::stoi(colour.substr(at, 2), nullptr, 16);
        const double paper = std::stoi(palette::paper.substr(at, 2), nullptr, 16);
        mixed += fmt::format("{:02x}", static_cast<int>(paper + (full - paper) * strength + 0.5));
    }
    return mixed;
}

std::string rejections_script(const RejectionTable& table, std::size_t& key_rows) {
    const std::vector<RejectionLevel>& levels = table.levels();
    const auto stages = static_cast<int>(table.total().rejected.size());
    std::string script =
        axis_labels("Stage that rejected the window", "Window width in pixels") +
        fmt::format("set xrange [-1.6:{}]\nset yrange [-0.6:{:.6g}]\nset grid noxtics noytics\n",
                    stages + 1.6, static_cast<double>(levels.size()) - 0.4);
    script += fmt::format("set xtics scale 0 ('flat' -1, 'passed' {}", stages + 1);
    // Stages are counted from 1, as people do; few enough labels that none touches another.
    const int step = stages > 12 ? 5 : stages > 6 ? 2 : 1;
    for (int stage = 1; stage <= stages; ++stage) {
        if (stage % step == 0 || stage == 1) script += fmt::format(", '{}' {}", stage, stage - 0.0);
    }
    script += ")\nset ytics scale 0 (";
    const std::size_t every = levels.size() / 12 + 1;
    for (std::size_t i = 0; i < levels.size(); i += every) {
        script += fmt::format("{}'{}' {}", i == 0 ? "" : ", ", levels[i].box.width, i);
    }
    script += ")\n";
    std::array<std::string, share_classes.size()> blocks;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const auto put = [&](std::int64_t count, double x) {
            if (count == 0) return;
            const double share = levels[i].share(count);
            std::size_t c = 0;
            while (share < share_classes[c].from) ++c;
            const auto y = static_cast<double>(i);
            blocks[c] += bar(x - 0.5, x + 0.5, y - 0.5, y + 0.5);
        };
        put(levels[i].flat, -1);
        for (int stage = 0; stage < stages; ++stage) {
            put(levels[i].rejected[static_cast<std::size_t>(stage)], stage + 1);
        }
        put(levels[i].passed, stages + 1);
    }
    std::vector<std::string> parts;
    for (std::size_t c = 0; c < blocks.size(); ++c) {
        if (blocks[c].empty()) continue;
        script += fmt::format("$class{} << END\n{}END\n", c, blocks[c]);
        parts.push_back(bars_plot(fmt::format("class{}", c),
                                  shade(series_colour(0), share_classes[c].strength),
                                  share_classes[c].label));
    }
    key_rows = parts.size();
    return script + plot_command(parts);
}

}  // namespace

std::vector<std::string> benchmark_plot_stems() {
    return {"bench_frames", "bench_speedup", "bench_parts", "bench_rejections", "bench_optimisations"};
}

std::vector<Plot> benchmark_plots(const DetectionBenchmark& benchmark) {
    std::vector<Plot> plots;
    if (benchmark.measurements.empty()) return plots;
    const Names series = series_of(benchmark);
    plots.push_back(drawn("bench_frames", "Frames per second by image size",
                          "From grey pixels in host memory to boxes in host memory, median.", series.size(),
                          by_size_script(benchmark, series, "Frames/s",
                                         [](const Measurement& m) { return frames_per_second(m); })));
    const bool has_speedup = series.size() > 1 && speedup(benchmark, benchmark.measurements.back()) > 0;
    if (has_speedup) {
        plots.push_back(drawn("bench_speedup", "Speed-up by image size",
                              "Times as fast as the CPU with the fewest threads, one image at a time.",
                              series.size(),
                              by_size_script(benchmark, series, "Times as fast",
                                             [&](const auto& m) { return speedup(benchmark, m); })));
    }
    std::size_t rows = 0;
    const auto with_parts = largest_size(benchmark, [&](std::size_t size) {
        return std::any_of(benchmark.measurements.begin(), benchmark.measurements.end(),
                           [&](const auto& m) { return m.size == size && sum_of_parts(m.ms_per_image) > 0; });
    });
    if (with_parts) {
        const std::string script = parts_script(benchmark, *with_parts, rows);
        plots.push_back(
            drawn("bench_parts", "Parts of the time, " + size_name(benchmark.sizes[*with_parts].size),
                  "Medians of the parts as shares of their sum; on the right the total.", rows, script));
    }
    const auto with_rejections = largest_size(
        benchmark, [&](std::size_t size) { return benchmark.sizes[size].rejections.has_value(); });
    if (with_rejections && !benchmark.sizes[*with_rejections].rejections->levels().empty()) {
        const std::string script = rejections_script(*benchmark.sizes[*with_rejections].rejections, rows);
        plots.push_back(drawn(
            "bench_rejections", "Windows rejected, " + size_name(benchmark.sizes[*with_rejections].size),
            "Share of the visited windows that each stage rejects, by scale.", rows, script));
    }
    const auto with_variants = largest_size(benchmark, [&](std::size_t size) {
        return std::any_of(benchmark.variants.begin(), benchmark.variants.end(),
                           [&](const auto& v) { return v.with.size == size; });
    });
    if (with_variants) {
        const std::string script = optimisations_script(benchmark, *with_variants, rows);
        plots.push_back(
            drawn("bench_optimisations",
                  "What each optimisation brings, " + size_name(benchmark.sizes[*with_variants].size),
                  "Total time without it over total time with it.", rows, script));
    }
    return plots;
}

}  // namespace fovea::report
