#include "lib/bench/report/video_bench_report.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/time_summary.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/page/markdown.hpp"
#include "lib/report/plots/plot.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

// Oro and others, ICPP 2012, section VI.A: ten trailers, H.264, 1080p, GTX 470.
constexpr const char* published_work = "Oro 2012: 1080p H.264, own cascade, GTX 470";
constexpr double published_per_second = 70;

std::string frames(double per_second) {
    return per_second < 100 ? fixed(per_second, 1) : grouped(static_cast<long long>(per_second + 0.5));
}

std::string ms(double value) {
    return fixed(value, 2);
}

std::vector<std::string> row_cells(const VideoRowResult& row) {
    const std::string video = row.video.filename().string();
    if (!row.not_run.empty()) return {video, row.work, "not run", "", "", "", "", ""};
    const TimeSummary rates = summarise_times(row.frames_per_second);
    return {video,
            row.work,
            frames(rates.median_ms),
            frames(rates.quartile_1_ms) + " - " + frames(rates.quartile_3_ms),
            frames(row.limit()),
            percent(row.share()),
            row.run.limit.empty() ? "-" : row.run.limit,
            energy_text(row.run)};
}

Json row_json(const VideoRowResult& row) {
    Json json{{"row", row.key}, {"video", row.video.filename().string()}, {"work", row.work}};
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
    Json json{{"video", live.video.filename().string()}};
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

DrawnPlot latency_plot(const VideoBenchmark& benchmark) {
    PlotScript script = axis_labels("Frame", "Latency, ms") + plot_script("set yrange [0:*]\n");
    std::vector<PlotScript> parts;
    for (std::size_t v = 0; v < benchmark.live.size(); ++v) {
        const LiveResult& live = benchmark.live[v];
        if (live.latency_ms.empty()) continue;
        std::vector<CurvePoint> points;
        for (std::size_t i = 0; i < live.latency_ms.size(); ++i)
            points.push_back({static_cast<double>(i), live.latency_ms[i]});
        script += curve_block(plot_script("series{}", v), points);
        parts.push_back(plot_script("$series{} using 1:2 with lines lw 1 {} title {}", v, line_colour(v),
                                    key_name(live.video.filename().string())));
    }
    return draw_plot(
        "latency", "Latency of every frame",
        "From the moment when the decoder gives a frame to its boxes on the host, one stream in the order "
        "of its frames.",
        script + plot_command(parts), parts.size());
}

bool has_latency(const VideoBenchmark& benchmark) {
    return std::any_of(benchmark.live.begin(), benchmark.live.end(),
                       [](const LiveResult& live) { return !live.latency_ms.empty(); });
}

std::string table_markdown(const TextTable& table) {
    MarkdownRows cells = table;
    for (std::vector<std::string>& row : cells) {
        for (std::string& cell : row) cell = escape_markdown(cell);
    }
    return "\n" + markdown_table(cells);
}

}  // namespace

TextTable video_table(const VideoBenchmark& benchmark) {
    TextTable rows{{"video", "work", "frames/s", "quartiles", "decoder", "reached", "held up by", "J/frame"}};
    for (const VideoRowResult& row : benchmark.rows) rows.push_back(row_cells(row));
    return rows;
}

TextTable live_table(const VideoBenchmark& benchmark) {
    TextTable rows{{"one stream, frame by frame", "frames/s", "latency ms", "p99", "max", "over 40 ms"}};
    for (const LiveResult& live : benchmark.live) {
        const std::string video = live.video.filename().string();
        if (!live.not_run.empty()) {
            rows.push_back({video, "not run", "", "", "", ""});
            continue;
        }
        rows.push_back({video, frames(live.frames_per_second), ms(live.median_ms), ms(live.p99_ms),
                        ms(live.max_ms), percent(live.share_over_40_ms)});
    }
    rows.push_back({published_work, frames(published_per_second), "-", "-", "-", "-"});
    return rows;
}

std::string video_notes(const VideoBenchmark& benchmark) {
    std::string text;
    for (const VideoRowResult& row : benchmark.rows) {
        const std::string name = row.video.filename().string() + ", " + row.work;
        if (!row.not_run.empty()) {
            text += name + ": not run: " + row.not_run + "\n";
        } else if (row.detect_per_second > 0) {
            text +=
                fmt::format("{}: the limit is {}, or detection alone with {} frames/s where that is slower\n",
                            name, row.limit_name, frames(row.detect_per_second));
        } else {
            text += name + ": the limit is " + row.limit_name + "\n";
        }
    }
    for (const LiveResult& live : benchmark.live) {
        if (!live.not_run.empty())
            text += live.video.filename().string() + ", frame by frame: not run: " + live.not_run + "\n";
    }
    return text;
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
    std::string markdown = "# Videos\n\n" + escape_markdown("Measured on " + machine + ".") + "\n";
    if (!benchmark.rows.empty()) markdown += table_markdown(video_table(benchmark));
    if (!benchmark.live.empty()) markdown += table_markdown(live_table(benchmark));
    files.add("table.md", markdown);
    if (has_latency(benchmark)) {
        files.add("latency.csv", latency_csv(benchmark));
        add_plot_files(files, {latency_plot(benchmark)});
    }
    files.publish_report("bench");
}

}  // namespace fovea::report
