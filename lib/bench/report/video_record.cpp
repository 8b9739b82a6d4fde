#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/records.hpp"
#include "lib/bench/report/run_fields.hpp"

namespace fovea::report {
namespace {

// Oro and others, ICPP 2012, section VI.A: ten trailers, H.264, 1080p, GTX 470.
constexpr const char* oro_work = "Oro 2012: 1080p H.264, own cascade, GTX 470";
constexpr double oro_per_second = 70;

std::string name_of(const std::filesystem::path& video) {
    return video.filename().string();
}

std::vector<BenchField<VideoRowResult>> file_fields() {
    using Row = VideoRowResult;
    std::vector<BenchField<Row>> fields{
        {"row", {}, [](const Row& row) { return text_value(row.key); }, true},
        {"video", words("video"), [](const Row& row) { return text_value(name_of(row.video)); }, true},
        {"work", words("work"), [](const Row& row) { return text_value(row.work); }, true}};
    append(fields, speed_fields<Row>("frame"));
    append<Row>(fields,
                {{"limit/of", {}, [](const Row& row) { return text_value(row.limit_name); }},
                 {"limit/frames_per_second",
                  {"decoder", "frames/s of the decoder alone"},
                  [](const Row& row) { return exact_value(row.limit(), rate_cell(row.limit())); }},
                 {"limit/runs", {}, [](const Row& row) { return bulky_value(row.limit_per_second); }},
                 {"detection_alone",
                  {},
                  [](const Row& row) {
                      return row.detect_per_second > 0 ? exact_value(row.detect_per_second) : BenchValue{};
                  }},
                 {"share",
                  {"reached", "share of the decoder's speed, or of detection alone where that is slower"},
                  [](const Row& row) { return exact_value(row.share(), share_cell(row.share())); }}});
    append(fields, run_fields<Row>("frame"));
    return fields;
}

std::vector<BenchField<LiveResult>> live_fields() {
    const auto ms = [](double LiveResult::*value) {
        return
            [value](const LiveResult& live) { return exact_value(live.*value, value_cell(live.*value, 2)); };
    };
    return {{"video", words("one stream, frame by frame"),
             [](const LiveResult& live) { return text_value(name_of(live.video)); }, true},
            {"frames", {}, [](const LiveResult& live) { return count_value(live.latency_ms.size()); }},
            {"frames_per_second",
             {"frames/s"},
             [](const LiveResult& live) {
                 return exact_value(live.frames_per_second, rate_cell(live.frames_per_second));
             }},
            {"latency_ms/median", {"latency ms", "median"}, ms(&LiveResult::median_ms)},
            {"latency_ms/p99", {"p99"}, ms(&LiveResult::p99_ms)},
            {"latency_ms/max", {"max"}, ms(&LiveResult::max_ms)},
            {"share_over_40_ms",
             {"over 40 ms", "frames whose decoding and detection together took longer"},
             [](const LiveResult& live) {
                 return exact_value(live.share_over_40_ms, share_cell(live.share_over_40_ms));
             }}};
}

std::vector<std::string> notes_of(const VideoBenchmark& benchmark) {
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

/// Adds the latency of every frame as a CSV file and a plot; nothing if none was measured.
void add_latency(BenchRecord& record, const VideoBenchmark& benchmark) {
    std::string csv = "video,frame,latency_ms\n";
    std::vector<std::string> names;
    std::vector<std::vector<PlotPoint>> points;
    for (std::size_t v = 0; v < benchmark.live.size(); ++v) {
        names.push_back(name_of(benchmark.live[v].video));
        points.emplace_back();
        const std::vector<double>& latency = benchmark.live[v].latency_ms;
        for (std::size_t i = 0; i < latency.size(); ++i) {
            csv += fmt::format("{},{},{:.4f}\n", v, i, latency[i]);
            points.back().push_back({static_cast<double>(i), latency[i]});
        }
    }
    Plot plot{
        "latency", "Latency of every frame",
        "From the moment when the decoder gives a frame to its boxes on the host, one stream in the order "
        "of its frames."};
    plot.x.label = "Frame";
    plot.y = {.label = "Latency, ms", .min = 0};
    plot.series = curves_of(names, std::move(points), Mark::line);
    if (plot.series.empty()) return;
    record.plots.push_back(std::move(plot));
    record.files.emplace_back("latency.csv", std::move(csv));
}

}  // namespace

BenchRecord video_record(const VideoBenchmark& benchmark, const std::string& machine) {
    BenchRecord record{"Videos",
                       "Measured on " + machine + ".",
                       {list_of<VideoRowResult>({"rows", "Files", {}}, file_fields(), benchmark.rows),
                        list_of<LiveResult>({"live", "Frame by frame", {}}, live_fields(), benchmark.live)}};
    record.lists[1].add_published(
        {{"one stream, frame by frame", oro_work}, {"frames/s", rate_cell(oro_per_second)}});
    record.notes = notes_of(benchmark);
    add_latency(record, benchmark);
    record.interrupted = benchmark.interrupted;
    return record;
}

}  // namespace fovea::report
