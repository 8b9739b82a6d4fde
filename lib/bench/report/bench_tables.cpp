#include "lib/bench/report/bench_tables.hpp"

#include <algorithm>
#include <optional>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/bench_numbers.hpp"
#include "lib/bench/report/bench_page.hpp"
#include "lib/core/time_summary.hpp"

namespace fovea::report {
namespace {

Cell median_cell(const std::vector<double>& times_ms) {
    return times_ms.empty() ? not_measured : ms_cell(summarise_times(times_ms).median_ms);
}

// The median, with the quartiles as its interval.
Cell total_cell(const std::vector<double>& times_ms) {
    if (times_ms.empty()) return not_measured;
    const TimeSummary summary = summarise_times(times_ms);
    Cell cell = ms_cell(summary.median_ms);
    cell.interval = ms_cell(summary.quartile_1_ms).text + "–" + ms_cell(summary.quartile_3_ms).text;
    return cell;
}

/// \param value 0 = not known
Cell known_cell(double value, int decimals) {
    return value > 0 ? value_cell(value, decimals) : not_measured;
}

Cell frames_cell(double per_second) {
    return known_cell(per_second, per_second < 100 ? 2 : 0);
}

/// The columns and cells of a measurement's parts; the total last, with its quartiles.
void add_parts(std::vector<Column>& columns) {
    for (const BenchmarkPart& part : benchmark_parts()) columns.push_back({part.name});
}
void add_parts(std::vector<Cell>& row, const EngineTimes& times) {
    for (const BenchmarkPart& part : benchmark_parts()) {
        const bool is_total = part.times == &EngineTimes::total_ms;
        row.push_back(is_total ? total_cell(times.*part.times) : median_cell(times.*part.times));
    }
}

/// The table with only those columns that a row fills.
Table filled_columns(Table table) {
    for (std::size_t column = table.columns.size(); column-- > 1;) {
        const bool is_empty =
            std::all_of(table.rows.begin(), table.rows.end(),
                        [&](const std::vector<Cell>& row) { return row[column].text == not_measured.text; });
        if (!is_empty) continue;
        const auto place = static_cast<std::ptrdiff_t>(column);
        table.columns.erase(table.columns.begin() + place);
        for (std::vector<Cell>& row : table.rows) row.erase(row.begin() + place);
    }
    return table;
}

Table times_table(const DetectionBenchmark& benchmark, std::size_t size) {
    const MeasuredSize& measured = benchmark.sizes[size];
    const auto images = static_cast<double>(measured.images);
    Table table{.title = measured.size.width == 0 ? "Photographs as they are" : size_name(measured.size),
                .columns = {words("ms per image")},
                .is_sortable = true,
                .note =
                    "Medians, with the quartiles of the total. The speed-up is over the CPU with the fewest "
                    "threads."};
    if (measured.windows > 0)
        table.title += fmt::format(", {:.0f} windows per image", measured.windows / images);
    add_parts(table.columns);
    for (const char* name : {"speed-up", "frames/s", "Mpixel/s", "Mwindows/s"})
        table.columns.push_back({name});
    for (const Measurement& measurement : benchmark.measurements) {
        if (measurement.size != size) continue;
        std::vector<Cell> row{measurement_name(measurement)};
        add_parts(row, measurement.ms_per_image);
        const double frames = frames_per_second(measurement);
        const bool is_baseline = &measurement == speedup_baseline(benchmark, size);
        row.push_back(is_baseline ? not_measured : known_cell(speedup(benchmark, measurement), 2));
        row.push_back(frames_cell(frames));
        row.push_back(known_cell(measured.pixels / images * frames / 1e6, 1));
        // A rival has windows of its own, if any.
        const double windows = measurement.backend.rival.empty() ? measured.windows : 0;
        row.push_back(known_cell(windows / images * frames / 1e6, 2));
        table.rows.push_back(std::move(row));
    }
    return filled_columns(std::move(table));
}

void add_parts_by_size(const DetectionBenchmark& benchmark, std::vector<Table>& tables) {
    std::vector<std::string> names;
    for (const Measurement& measurement : benchmark.measurements) {
        const std::string name = measurement_name(measurement);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    for (const std::string& name : names) {
        Table table{.title = name + " by size, ms per image", .columns = {words("Size"), {"windows"}}};
        add_parts(table.columns);
        table.columns.push_back({"frames/s"});
        bool is_in_parts = false;
        for (const Measurement& measurement : benchmark.measurements) {
            if (measurement_name(measurement) != name) continue;
            const MeasuredSize& size = benchmark.sizes[measurement.size];
            std::vector<Cell> row{size_name(size.size),
                                  count_cell(size.windows / static_cast<double>(size.images))};
            add_parts(row, measurement.ms_per_image);
            row.push_back(frames_cell(frames_per_second(measurement)));
            table.rows.push_back(std::move(row));
            is_in_parts = is_in_parts || !measurement.ms_per_image.scan_ms.empty();
        }
        // OpenCV's total alone stands in the tables of each size.
        if (is_in_parts) tables.push_back(filled_columns(std::move(table)));
    }
}

Table speedup_table(const DetectionBenchmark& benchmark) {
    Table table{.title = "Times as fast as the CPU with the fewest threads", .columns = {words("Backend")}};
    for (const MeasuredSize& size : benchmark.sizes) table.columns.push_back({size_name(size.size)});
    for (const Measurement& measurement : benchmark.measurements) {
        if (!(speedup(benchmark, measurement) > 0)) continue;
        const std::string name = measurement_name(measurement);
        auto row = std::find_if(table.rows.begin(), table.rows.end(),
                                [&](const std::vector<Cell>& cells) { return cells[0].text == name; });
        if (row == table.rows.end()) {
            row = table.rows.insert(row, std::vector<Cell>(table.columns.size(), not_measured));
            (*row)[0] = name;
        }
        (*row)[measurement.size + 1] = known_cell(speedup(benchmark, measurement), 2);
    }
    return table;
}

Table rejections_table(const MeasuredSize& size) {
    constexpr std::size_t max_stages = 5;
    const RejectionLevel total = size.rejections->total();
    const std::size_t stages = std::min(max_stages, total.rejected.size());
    Table table{.title = "Fate of the windows visited, " + size_name(size.size),
                .columns = {words("Window", "pixels of the photograph"), {"visited"}, {"flat"}}};
    for (std::size_t stage = 0; stage < stages; ++stage)
        table.columns.push_back({fmt::format("stage {}", stage + 1)});
    if (total.rejected.size() > stages) table.columns.push_back({"later"});
    table.columns.push_back({"passed"});
    table.columns.push_back({"weak classifiers", "evaluated in a window, on average"});
    const auto add = [&](const std::string& name, const RejectionLevel& level) {
        const auto share = [&](std::int64_t windows) {
            const double part = level.share(windows);
            return share_cell(part, part > 0 && part < 0.001 ? 3 : 1);
        };
        std::vector<Cell> row{name, count_cell(static_cast<double>(level.visited)), share(level.flat)};
        std::int64_t later = 0;
        for (std::size_t stage = 0; stage < level.rejected.size(); ++stage) {
            if (stage < stages) {
                row.push_back(share(level.rejected[stage]));
            } else {
                later += level.rejected[stage];
            }
        }
        if (total.rejected.size() > stages) row.push_back(share(later));
        row.push_back(share(level.passed));
        row.push_back(value_cell(level.weak_classifiers_per_window(), 2));
        row.resize(table.columns.size());
        table.rows.push_back(std::move(row));
    };
    for (const RejectionLevel& level : size.rejections->levels())
        add(fmt::format("{}x{}", level.box.width, level.box.height), level);
    add("all", total);
    return table;
}

Table optimisations_table(const DetectionBenchmark& benchmark) {
    Table table{.title = "Gain of each optimisation",
                .columns = {words("Optimisation"),
                            words("size"),
                            {"with, ms"},
                            {"without, ms"},
                            {"factor"},
                            {"factor, resident"},
                            {"factor, from pinned memory"}}};
    for (const VariantMeasurement& variant : benchmark.variants) {
        table.rows.push_back({variant.optimisation + " (" + measurement_name(variant.with) + ")",
                              size_name(benchmark.sizes[variant.with.size].size),
                              median_cell(variant.with.ms_per_image.total_ms),
                              median_cell(variant.without_ms_per_image.total_ms),
                              known_cell(variant_factor(variant), 3),
                              known_cell(variant_factor(variant, &EngineTimes::resident_ms), 3),
                              known_cell(variant_factor(variant, &EngineTimes::pinned_ms), 3)});
    }
    return filled_columns(std::move(table));
}

}  // namespace

std::vector<Table> benchmark_tables(const DetectionBenchmark& benchmark) {
    std::vector<Table> tables;
    const MeasuredSize* largest = nullptr;
    for (std::size_t size = 0; size < benchmark.sizes.size(); ++size) {
        const bool is_measured = std::any_of(benchmark.measurements.begin(), benchmark.measurements.end(),
                                             [&](const Measurement& m) { return m.size == size; });
        if (is_measured) tables.push_back(times_table(benchmark, size));
        const MeasuredSize& candidate = benchmark.sizes[size];
        if (candidate.rejections && (largest == nullptr || candidate.pixels > largest->pixels))
            largest = &candidate;
    }
    if (benchmark.sizes.size() > 1) {
        add_parts_by_size(benchmark, tables);
        Table speedups = speedup_table(benchmark);
        // The baseline alone says nothing.
        if (speedups.rows.size() > 1) tables.push_back(std::move(speedups));
    }
    if (largest != nullptr) tables.push_back(rejections_table(*largest));
    if (!benchmark.variants.empty()) tables.push_back(optimisations_table(benchmark));
    return tables;
}

}  // namespace fovea::report
