#include "lib/bench/report/video_bench_report.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/bench_page.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/model/shown_columns.hpp"

namespace fovea::report {
namespace {

// Oro and others, ICPP 2012, section VI.A: ten trailers, H.264, 1080p, GTX 470.
constexpr const char* published_work = "Oro 2012: 1080p H.264, own cascade, GTX 470";
constexpr double published_per_second = 70;

std::string name_of(const std::filesystem::path& video) {
    return video.filename().string();
}

ShownColumns<VideoRowResult> row_columns() {
    using Row = VideoRowResult;
    ShownColumns<Row> columns{{words("video"), [](const Row& row) { return Cell(name_of(row.video)); }},
                              {words("work"), [](const Row& row) { return Cell(row.work); }}};
    add_median(columns, {"frames/s", "median of the runs"}, &Row::frames_per_second, rate_cell);
    append(columns,
           {{{"decoder", "frames/s of the decoder alone"},
             [](const Row& row) { return rate_cell(row.limit()); }},
            {{"reached", "share of the decoder's speed, or of detection alone where that is slower"},
             [](const Row& row) { return share_cell(row.share()); }},
            {words("held up by", "the stage that was the limit"),
             [](const Row& row) { return row.run.limit.empty() ? not_measured : Cell(row.run.limit); }},
            {{"J/frame"}, [](const Row& row) { return Cell(energy_text(row.run)); }}});
    return columns;
}

const ShownColumns<LiveResult>& live_columns() {
    static const ShownColumns<LiveResult> columns{
        {words("one stream, frame by frame"), [](const auto& live) { return Cell(name_of(live.video)); }},
        {{"frames/s"}, [](const auto& live) { return rate_cell(live.frames_per_second); }},
        {{"latency ms", "median"}, [](const auto& live) { return value_cell(live.median_ms, 2); }},
        {{"p99"}, [](const auto& live) { return value_cell(live.p99_ms, 2); }},
        {{"max"}, [](const auto& live) { return value_cell(live.max_ms, 2); }},
        {{"over 40 ms", "frames whose decoding and detection together took longer"},
         [](const auto& live) { return share_cell(live.share_over_40_ms); }}};
    return columns;
}

Json row_json(const VideoRowResult& row) {
    Json json{{"row", row.key}, {"video", name_of(row.video)}, {"work", row.work}};
    if (!row.not_run.empty()) {
        json["not_run"] = row.not_run;
        return json;
    }
    json["frames_per_second"] = row.median();
    json["runs"] = row.frames_per_second;
    json["limit"] = {
        {"of", row.limit_name}, {"frames_per_second", row.limit()}, {"runs", row.limit_per_second}};
    if (row.detect_per_second > 0) json["detection_alone"] = row.detect_per_second;
    json["share"] = row.share();
    json["frames"] = row.run.images;
    json["detections_per_frame"] =
        static_cast<double>(row.run.detections) / static_cast<double>(row.run.images);
    json["timings"] = row.run.timings;
    json["energy"] = row.run.energy;
    json["command"] = row.command;
    return json;
}

Json live_json(const LiveResult& live) {
    Json json{{"video", name_of(live.video)}};
    if (!live.not_run.empty()) {
        json["not_run"] = live.not_run;
        return json;
    }
    json["frames"] = live.latency_ms.size();
    json["frames_per_second"] = live.frames_per_second;
    json["latency_ms"] = {{"median", live.median_ms}, {"p99", live.p99_ms}, {"max", live.max_ms}};
    json["share_over_40_ms"] = live.share_over_40_ms;
    return json;
}

std::string latency_csv(const VideoBenchmark& benchmark) {
    std::string text = "video,frame,latency_ms\n";
    for (std::size_t v = 0; v < benchmark.live.size(); ++v) {
        const std::vector<double>& latency = benchmark.live[v].latency_ms;
        for (std::size_t i = 0; i < latency.size(); ++i)
            text += fmt::format("{},{},{:.4f}\n", v, i, latency[i]);
    }
    return text;
}

Plot latency_plot(const VideoBenchmark& benchmark) {
    Plot plot{
        "latency", "Latency of every frame",
        "From the moment when the decoder gives a frame to its boxes on the host, one stream in the order "
        "of its frames."};
    plot.x.label = "Frame";
    plot.y = {.label = "Latency, ms", .min = 0};
    std::vector<std::string> names;
    std::vector<std::vector<PlotPoint>> points;
    for (const LiveResult& live : benchmark.live) {
        names.push_back(name_of(live.video));
        points.emplace_back();
        for (const double ms : live.latency_ms)
            points.back().push_back({static_cast<double>(points.back().size()), ms});
    }
    plot.series = curves_of(names, std::move(points), Mark::line);
    return plot;
}

bool has_latency(const VideoBenchmark& benchmark) {
    return std::any_of(benchmark.live.begin(), benchmark.live.end(),
                       [](const LiveResult& live) { return !live.latency_ms.empty(); });
}

}  // namespace

Table video_table(const VideoBenchmark& benchmark) {
    Table table = table_of(row_columns(), {});
    for (const VideoRowResult& row : benchmark.rows)
        add_row(table, row_columns(), row, {name_of(row.video), row.work});
    return table;
}

Table live_table(const VideoBenchmark& benchmark) {
    Table table = table_of(live_columns(), {});
    for (const LiveResult& live : benchmark.live) add_row(table, live_columns(), live, {name_of(live.video)});
    table.rows.push_back({published_work, rate_cell(published_per_second)});
    table.rows.back().resize(table.columns.size(), not_measured);
    return table;
}

std::vector<std::string> video_notes(const VideoBenchmark& benchmark) {
    std::vector<std::string> lines;
    for (const VideoRowResult& row : benchmark.rows) {
        std::string what = "not run: " + row.not_run;
        if (row.not_run.empty()) {
            what = "the limit is " + row.limit_name;
            if (row.detect_per_second > 0) {
                what += fmt::format(", or detection alone with {} frames/s where that is slower",
                                    rate_cell(row.detect_per_second).text);
            }
        }
        lines.push_back(fmt::format("{}, {}: {}", name_of(row.video), row.work, what));
    }
    for (const LiveResult& live : benchmark.live) {
        if (!live.not_run.empty())
            lines.push_back(name_of(live.video) + ", frame by frame: not run: " + live.not_run);
    }
    return lines;
}

Json video_benchmark_json(const VideoBenchmark& benchmark) {
    Json json{{"rows", Json::array()}, {"live", Json::array()}};
    for (const VideoRowResult& row : benchmark.rows) json["rows"].push_back(row_json(row));
    for (const LiveResult& live : benchmark.live) json["live"].push_back(live_json(live));
    json["published"] = {{"work", published_work}, {"frames_per_second", published_per_second}};
    json["interrupted"] = benchmark.interrupted;
    return json;
}

void write_video_benchmark(const std::filesystem::path& folder, const Json& json,
                           const VideoBenchmark& benchmark, const std::string& machine) {
    make_output_folder(folder, "benchmark");
    StagedFiles files(folder);
    files.add("bench.json", indented_text(json) + "\n");
    if (has_latency(benchmark)) files.add("latency.csv", latency_csv(benchmark));
    Report report = bench_report("Videos", "Measured on " + machine + ".");
    add_table(report, "jobs", "Files", video_table(benchmark));
    if (!benchmark.live.empty()) add_table(report, "live", "Frame by frame", live_table(benchmark));
    add_list(report, "notes", "Limits", video_notes(benchmark));
    if (has_latency(benchmark)) add_plots(report, {latency_plot(benchmark)});
    report.footer = "All numbers are in bench.json, the latency of every frame is in latency.csv.";
    publish_benchmark(files, folder, report, "table");
}

}  // namespace fovea::report
