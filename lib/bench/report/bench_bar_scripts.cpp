#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/bench_numbers.hpp"
#include "lib/bench/report/bench_scripts.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/palette.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
PlotScript bar(double left, double right, double top, double bottom) {
    return plot_script("{:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g}\n", (left + right) / 2, (top + bottom) / 2,
                       left, right, top, bottom);
}

PlotScript bars_plot(const PlotScript& block, const std::string& colour, const std::string& title) {
    return plot_script("${} using 1:2:3:4:5:6 with boxxyerror fs solid 1 noborder lc rgb {} title {}", block,
                       colour, title);
}

PlotScript rows_axis(const Names& rows) {
    Tics tics;
    for (std::size_t i = 0; i < rows.size(); ++i) tics.add(shortened(rows[i], 28), plot_script("{}", i));
    return plot_script("set yrange [{:.6g}:-0.6]\nset ytics scale 0 {}\nset grid noytics xtics\n",
                       static_cast<double>(rows.size()) - 0.4, tics.script());
}

PlotScript value_label(const std::string& text, std::size_t row) {
    return plot_script("set label {} at graph 1.02, first {} left tc rgb {}\n", text, row, palette::ink);
}

double sum_of_parts(const EngineTimes& times) {
    double sum = 0;
    for (const BenchmarkPart& part : benchmark_parts()) {
        if (!part.whole) sum += median_time(times.*part.times);
    }
    return sum;
}

BenchScript parts_script(const DetectionBenchmark& benchmark, std::size_t size) {
    Names rows;
    std::vector<const Measurement*> shown;
    for (const Measurement& measurement : benchmark.measurements) {
        if (measurement.size != size || !(sum_of_parts(measurement.ms_per_image) > 0)) continue;
        shown.push_back(&measurement);
        rows.push_back(measurement_name(measurement));
    }
    PlotScript script = plot_script("set xlabel 'Share of the time' tc rgb {}\n", palette::ink) +
                        percent_axis(plot_script("x")) + rows_axis(rows) + plot_script("set rmargin 12\n");
    std::vector<PlotScript> blocks(benchmark_parts().size());
    for (std::size_t row = 0; row < shown.size(); ++row) {
        const EngineTimes& times = shown[row]->ms_per_image;
        const double sum = sum_of_parts(times);
        double left = 0;
        const auto y = static_cast<double>(row);
        for (std::size_t p = 0; p < blocks.size(); ++p) {
            if (benchmark_parts()[p].whole) continue;
            const double width = 100 * median_time(times.*benchmark_parts()[p].times) / sum;
            if (width > 0) blocks[p] += bar(left, left + width, y - 0.32, y + 0.32);
            left += width;
        }
        script += value_label(fmt::format("{:.3g} ms", median_time(times.total_ms)), row);
    }
    std::vector<PlotScript> parts;
    for (std::size_t p = 0; p < blocks.size(); ++p) {
        if (blocks[p].empty()) continue;
        const PlotScript name = plot_script("part{}", p);
        script += data_block(name, blocks[p]);
        parts.push_back(bars_plot(name, series_colour(p), benchmark_parts()[p].name));
    }
    return {script + plot_command(parts), parts.size()};
}

BenchScript optimisations_script(const DetectionBenchmark& benchmark, std::size_t size) {
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
    std::vector<PlotScript> blocks(series.size());
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
    PlotScript script =
        plot_script("set xlabel 'Time without it / time with it' tc rgb {}\n", palette::ink) +
        rows_axis(rows) +
        plot_script("set xrange [{:.6g}:{:.6g}]\n", std::min(0.9, lowest - 0.05),
                    std::max(1.1, highest * 1.04)) +
        plot_script("set arrow from first 1, graph 0 to first 1, graph 1 nohead front lw 1.2 lc rgb {}\n",
                    palette::ink);
    std::vector<PlotScript> parts;
    for (std::size_t s = 0; s < series.size(); ++s) {
        const PlotScript name = plot_script("variant{}", s);
        script += data_block(name, blocks[s]);
        if (blocks[s].empty()) continue;
        parts.push_back(bars_plot(name, series_colour(s), series[s]));
    }
    return {script + plot_command(parts), parts.size()};
}

}  // namespace fovea::report
