#include "lib/bench/report/archive_bench_report.hpp"

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/bench_page.hpp"
#include "lib/core/text.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/model/shown_columns.hpp"

namespace fovea::report {
namespace {

std::string mebibytes(std::uint64_t bytes) {
    return grouped(static_cast<long long>(bytes >> 20)) + " MiB";
}

bool has_limit(const ArchiveRowResult& result) {
    return result.limit && result.limit->images_per_second > 0 && !result.images_per_second.empty();
}

double share_of_limit(const ArchiveRowResult& result) {
    return result.median() / result.limit->images_per_second;
}

ShownColumns<ArchiveRowResult> speed_columns() {
    using Row = ArchiveRowResult;
    ShownColumns<Row> columns{{words("work"), [](const Row& row) { return Cell(row.row.work); }}};
    add_median(columns, {"images/s", "median of the runs"}, &Row::images_per_second, rate_cell);
    append(columns,
           {{{"limit", "images/s of the fastest decoder alone"},
             [](const Row& row) {
                 return has_limit(row) ? rate_cell(row.limit->images_per_second) : not_measured;
             }},
            {{"of it"},
             [](const Row& row) { return has_limit(row) ? share_cell(share_of_limit(row)) : not_measured; }},
            {words("held up by", "the stage that was the limit"),
             [](const Row& row) { return row.run.limit.empty() ? not_measured : Cell(row.run.limit); }},
            {{"J/image"}, [](const Row& row) { return Cell(energy_text(row.run)); }},
            {{"memory", "most that was held"},
             [](const Row& row) { return Cell(mebibytes(row.peak_memory_bytes)); }},
            {{"start-up"}, [](const Row& row) { return Cell(fixed(row.start_up_seconds, 2) + " s"); }}});
    return columns;
}

Json speed_json(const ArchiveRowResult& result) {
    Json json{{"row", result.row.key}, {"work", result.row.work}};
    if (!result.not_run.empty()) {
        json["not_run"] = result.not_run;
        return json;
    }
    const TimeSummary rates = summarise_times(result.images_per_second);
    json["images_per_second"] = rates.median_ms;
    json["quartile_1"] = rates.quartile_1_ms;
    json["quartile_3"] = rates.quartile_3_ms;
    json["runs"] = result.images_per_second;
    json["megapixels_per_second"] = result.run.megapixels_per_second;
    if (result.limit) {
        json["limit"] = {{"of", result.limit->name}};
        if (has_limit(result)) {
            json["limit"]["images_per_second"] = result.limit->images_per_second;
            json["limit"]["share"] = share_of_limit(result);
        } else {
            json["limit"]["unavailable"] = result.limit->unavailable;
        }
    }
    json["images"] = result.run.images;
    json["detections_per_image"] =
        static_cast<double>(result.run.detections) / static_cast<double>(result.run.images);
    json["peak_memory_bytes"] = result.peak_memory_bytes;
    json["start_up_seconds"] = result.start_up_seconds;
    json["timings"] = result.run.timings;
    json["energy"] = result.run.energy;
    json["command"] = result.command;
    return json;
}

// The share of its limit that each row reached, as bars; none where no row has a limit.
std::vector<Plot> archive_plots(const ArchiveBenchmark& benchmark) {
    Series bars{.mark = Mark::rects};
    std::vector<AxisMark> rows;
    for (const ArchiveRowResult& result : benchmark.rows) {
        if (!has_limit(result)) continue;
        const auto row = static_cast<double>(rows.size());
        bars.rects.push_back(row_bar(0, share_of_limit(result), row));
        rows.push_back({row, shortened(result.row.work, 28), rate_cell(result.median()).text + "/s"});
    }
    if (rows.empty()) return {};
    Plot plot{"archive", "Photo archives",
              "Images per second from JPEG files to results, as a share of the fastest decoder of the "
              "machine alone."};
    plot.x = share_axis("Images/s, share of decoding alone");
    plot.y = row_axis("", std::move(rows));
    plot.series = {std::move(bars)};
    return {plot};
}

}  // namespace

Table archive_table(const ArchiveBenchmark& benchmark) {
    Table table = table_of(speed_columns(), {});
    for (const ArchiveRowResult& result : benchmark.rows)
        add_row(table, speed_columns(), result, {result.row.work});
    return table;
}

std::vector<std::string> archive_verdicts(const ArchiveBenchmark& benchmark) {
    std::vector<std::string> lines;
    for (const ArchiveRowResult& result : benchmark.rows) {
        if (!result.not_run.empty()) lines.push_back(result.row.work + ": not run: " + result.not_run);
    }
    for (const ArchiveRowResult& result : benchmark.rows) {
        if (!result.limit) continue;
        lines.push_back(fmt::format("limit of {}: {}", result.row.work,
                                    has_limit(result) ? result.limit->name : result.limit->unavailable));
    }
    return lines;
}

Json archive_benchmark_json(const ArchiveBenchmark& benchmark) {
    Json json{{"rows", Json::array()}};
    for (const ArchiveRowResult& result : benchmark.rows) json["rows"].push_back(speed_json(result));
    json["interrupted"] = benchmark.interrupted;
    return json;
}

void write_archive_benchmark(const std::filesystem::path& folder, const Json& json,
                             const ArchiveBenchmark& benchmark, const std::string& machine) {
    make_output_folder(folder, "benchmark");
    StagedFiles files(folder);
    files.add("bench.json", indented_text(json) + "\n");
    Report report = bench_report("Photo archives", "Measured on " + machine + ".");
    add_table(report, "speed", "Speed", archive_table(benchmark));
    add_list(report, "verdicts", "Limits", archive_verdicts(benchmark));
    add_plots(report, archive_plots(benchmark));
    report.footer = "All numbers are in bench.json.";
    publish_benchmark(files, folder, report, "table");
}

}  // namespace fovea::report
