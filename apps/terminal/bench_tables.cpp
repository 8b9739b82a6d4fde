#include "apps/terminal/bench_tables.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "apps/terminal/console.hpp"
#include "lib/bench/report/bench_numbers.hpp"
#include "lib/core/time_summary.hpp"

namespace fovea {
namespace {

using Row = std::vector<std::string>;
constexpr const char* not_measured = "–";

// Four significant digits or so: 0.305, 12.34, 1234.5.
std::string format_ms(double ms) {
    return fmt::format("{:.{}f}", ms, ms < 10 ? 3 : ms < 100 ? 2 : 1);
}

std::string median_cell(const std::vector<double>& times_ms) {
    return times_ms.empty() ? not_measured : format_ms(summarise_times(times_ms).median_ms);
}

std::string quartiles_cell(const std::vector<double>& times_ms) {
    if (times_ms.empty()) return not_measured;
    const TimeSummary summary = summarise_times(times_ms);
    return format_ms(summary.quartile_1_ms) + " - " + format_ms(summary.quartile_3_ms);
}

// 0 = not known.
std::string number_cell(double value, int digits) {
    return value > 0 ? fmt::format("{:.{}f}", value, digits) : not_measured;
}

std::string percent_cell(double share) {
    return fmt::format("{:.{}f} %", 100 * share, share > 0 && share < 0.001 ? 3 : 1);
}

// Leaves out the columns in which no row has anything.
std::string table_of_filled_columns(std::vector<Row> rows) {
    for (std::size_t column = rows[0].size(); column-- > 1;) {
        const bool empty = std::all_of(rows.begin() + 1, rows.end(),
                                       [&](const Row& row) { return row[column] == not_measured; });
        if (!empty) continue;
        for (Row& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
    }
    return format_table(rows);
}

std::string times_table(const DetectionBenchmark& benchmark, std::size_t size) {
    const MeasuredSize& measured = benchmark.sizes[size];
    const auto images = static_cast<double>(measured.images);
    std::vector<Row> rows{{"ms per image"}};
    for (const BenchmarkPart& part : benchmark_parts()) rows[0].emplace_back(part.name);
    for (const char* name : {"total, quartiles", "speed-up", "frames/s", "Mpixel/s", "Mwindows/s"}) {
        rows[0].emplace_back(name);
    }
    for (const Measurement& measurement : benchmark.measurements) {
        if (measurement.size != size) continue;
        Row row{report::measurement_name(measurement)};
        for (const BenchmarkPart& part : benchmark_parts()) {
            row.push_back(median_cell(measurement.ms_per_image.*part.times));
        }
        const double frames = frames_per_second(measurement);
        const bool is_baseline = &measurement == speedup_baseline(benchmark, size);
        row.push_back(quartiles_cell(measurement.ms_per_image.total_ms));
        row.push_back(is_baseline ? not_measured : number_cell(speedup(benchmark, measurement), 2));
        row.push_back(number_cell(frames, frames < 100 ? 2 : 0));
        row.push_back(number_cell(measured.pixels / images * frames / 1e6, 1));
        // A rival has windows of its own, if any.
        const double windows = measurement.backend.rival.empty() ? measured.windows : 0;
        row.push_back(number_cell(windows / images * frames / 1e6, 2));
        rows.push_back(std::move(row));
    }
    const std::string size_text =
        measured.size.width == 0 ? "photographs as they are" : size_name(measured.size);
    const std::string windows =
        measured.windows > 0 ? fmt::format(", {:.0f} windows per image", measured.windows / images) : "";
    return size_text + windows + "\n" + table_of_filled_columns(rows);
}

// Rows of sizes, columns of parts, as Tek (2012) has it in table 4.1: one table for each backend and batch.
std::string parts_by_size(const DetectionBenchmark& benchmark) {
    std::vector<std::string> names;
    for (const Measurement& measurement : benchmark.measurements) {
        const std::string name = report::measurement_name(measurement);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    std::string text;
    for (const std::string& name : names) {
        std::vector<Row> rows{{"ms per image, " + name, "windows"}};
        for (const BenchmarkPart& part : benchmark_parts()) rows[0].emplace_back(part.name);
        rows[0].emplace_back("frames/s");
        bool in_parts = false;
        for (const Measurement& measurement : benchmark.measurements) {
            if (report::measurement_name(measurement) != name) continue;
            const MeasuredSize& size = benchmark.sizes[measurement.size];
            Row row{size_name(size.size), fmt::format("{:.0f}", size.windows / double(size.images))};
            for (const BenchmarkPart& part : benchmark_parts()) {
                row.push_back(median_cell(measurement.ms_per_image.*part.times));
            }
            const double frames = frames_per_second(measurement);
            row.push_back(number_cell(frames, frames < 100 ? 2 : 0));
            rows.push_back(std::move(row));
            in_parts = in_parts || !measurement.ms_per_image.scan_ms.empty();
        }
        // OpenCV's total alone stands in the tables of each size.
        if (in_parts) text += (text.empty() ? "" : "\n") + table_of_filled_columns(std::move(rows));
    }
    return text;
}

std::string speedup_table(const DetectionBenchmark& benchmark) {
    Row heading{"times as fast"};
    for (const MeasuredSize& size : benchmark.sizes) heading.push_back(size_name(size.size));
    std::vector<Row> rows{heading};
    for (const Measurement& measurement : benchmark.measurements) {
        if (!(speedup(benchmark, measurement) > 0)) continue;
        const std::string name = report::measurement_name(measurement);
        auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r[0] == name; });
        if (row == rows.end()) {
            row = rows.insert(rows.end(), Row(heading.size(), not_measured));
            (*row)[0] = name;
        }
        (*row)[measurement.size + 1] = number_cell(speedup(benchmark, measurement), 2);
    }
    return rows.size() > 2 ? format_table(rows) : "";
}

std::string rejections_table(const MeasuredSize& size) {
    constexpr std::size_t max_stages = 5;
    const RejectionLevel total = size.rejections->total();
    const std::size_t stages = std::min(max_stages, total.rejected.size());
    Row heading{"window", "visited", "flat"};
    for (std::size_t stage = 0; stage < stages; ++stage)
        heading.push_back(fmt::format("stage {}", stage + 1));
    if (total.rejected.size() > stages) heading.emplace_back("later");
    heading.emplace_back("passed");
    heading.emplace_back("weak classifiers");
    std::vector<Row> rows{heading};
    const auto add = [&](const std::string& name, const RejectionLevel& level) {
        Row row{name, std::to_string(level.visited), percent_cell(level.share(level.flat))};
        std::int64_t later = 0;
        for (std::size_t stage = 0; stage < level.rejected.size(); ++stage) {
            if (stage < stages) {
                row.push_back(percent_cell(level.share(level.rejected[stage])));
            } else {
                later += level.rejected[stage];
            }
        }
        if (total.rejected.size() > stages) row.push_back(percent_cell(level.share(later)));
        row.push_back(percent_cell(level.share(level.passed)));
        row.push_back(fmt::format("{:.2f}", level.weak_classifiers_per_window()));
        rows.push_back(std::move(row));
    };
    for (const RejectionLevel& level : size.rejections->levels()) {
        add(fmt::format("{}x{}", level.box.width, level.box.height), level);
    }
    add("all", total);
    return fmt::format(
               "what became of the visited windows, {} (window: pixels of the photograph; weak classifiers: "
               "evaluated "
               "in a window, on average)\n",
               size_name(size.size)) +
           format_table(rows);
}

std::string optimisations_table(const DetectionBenchmark& benchmark) {
    std::vector<Row> rows{{"what each optimisation brings", "size", "with, ms", "without, ms", "factor",
                           "factor, resident", "factor, from pinned memory"}};
    for (const VariantMeasurement& variant : benchmark.variants) {
        rows.push_back({variant.optimisation + " (" + report::measurement_name(variant.with) + ")",
                        size_name(benchmark.sizes[variant.with.size].size),
                        median_cell(variant.with.ms_per_image.total_ms),
                        median_cell(variant.without_ms_per_image.total_ms),
                        number_cell(variant_factor(variant), 3),
                        number_cell(variant_factor(variant, &EngineTimes::resident_ms), 3),
                        number_cell(variant_factor(variant, &EngineTimes::pinned_ms), 3)});
    }
    return table_of_filled_columns(rows);
}

}  // namespace

std::string benchmark_tables(const DetectionBenchmark& benchmark) {
    std::vector<std::string> tables;
    const MeasuredSize* largest = nullptr;
    for (std::size_t size = 0; size < benchmark.sizes.size(); ++size) {
        const bool measured = std::any_of(benchmark.measurements.begin(), benchmark.measurements.end(),
                                          [&](const Measurement& m) { return m.size == size; });
        if (measured) tables.push_back(times_table(benchmark, size));
        const MeasuredSize& candidate = benchmark.sizes[size];
        if (candidate.rejections && (largest == nullptr || candidate.pixels > largest->pixels)) {
            largest = &candidate;
        }
    }
    if (benchmark.sizes.size() > 1) {
        tables.push_back(parts_by_size(benchmark));
        tables.push_back(speedup_table(benchmark));
    }
    if (largest != nullptr) tables.push_back(rejections_table(*largest));
    if (!benchmark.variants.empty()) tables.push_back(optimisations_table(benchmark));
    std::string text;
    for (const std::string& table : tables) {
        if (!table.empty()) text += (text.empty() ? "" : "\n") + table;
    }
    return text;
}

}  // namespace fovea
