#include "lib/bench/report/track_bench_tables.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/report/html/format.hpp"

namespace fovea::report {
namespace {

// C. Helf, "Real-Time Facial Feature Detection on Mobile Graphics Processing Units", 2018, section 5.2.
constexpr const char* helf_work = "Helf 2018, iPhone 7, 720p, one face";

using Cells = std::vector<std::string>;

std::string error_text(double nme) {
    return fixed(100 * nme, 2) + " %";
}

std::string ratio_text(const std::optional<double>& ratio) {
    return ratio ? fixed(*ratio, 3) : "-";
}

std::string mode_text(const StudyRow& row) {
    return row.redetect == 1 ? "-" : row.is_live ? "live" : "late";
}

Cells accuracy_cells(const TrackAccuracy& accuracy) {
    return {percent(accuracy.found),
            fixed(accuracy.iou, 3),
            error_text(accuracy.nme),
            error_text(accuracy.median_nme),
            ratio_text(accuracy.nme_ratio),
            fixed(accuracy.false_boxes, 3),
            fixed(accuracy.tracks_per_face, 2),
            std::to_string(accuracy.switches)};
}

const Cells& accuracy_heading() {
    static const Cells heading{"found",     "IoU",         "NME",         "median NME",
                               "NME ratio", "false/frame", "tracks/face", "switches"};
    return heading;
}

void append(Cells& row, const Cells& cells) {
    row.insert(row.end(), cells.begin(), cells.end());
}

std::string kind_of_detection(const StudyRow& row) {
    return row.redetect == 1 ? "every frame" : "every " + std::to_string(row.redetect);
}

std::string milliseconds_text(double ms) {
    return fixed(ms, ms < 10 ? 2 : 1);
}

std::string rate_text(double ms) {
    const double rate = ms > 0 ? 1000 / ms : 0;
    return rate < 100 ? fixed(rate, 1) : grouped(static_cast<long long>(rate + 0.5));
}

template <class Value>
bool measured(const std::vector<Value>& values, Value wanted) {
    return std::find(values.begin(), values.end(), wanted) != values.end();
}

/// The tracker's own setting where it was measured, else the largest.
int usual_of(const std::vector<int>& values, int own) {
    if (values.empty()) return own;
    return measured(values, own) ? own : *std::max_element(values.begin(), values.end());
}

const FlowTimes* flow_of(const TrackBenchmark& benchmark, int points, int window, int levels,
                         int iterations) {
    for (const FlowTimes& times : benchmark.flow) {
        if (times.points == points && times.window == window && times.levels == levels &&
            times.iterations == iterations && !times.fovea_ms.empty())
            return &times;
    }
    return nullptr;
}

bool has_gpu_times(const TrackBenchmark& benchmark) {
    return !benchmark.flow.empty() && !benchmark.flow.front().gpu_ms.empty();
}

void append_flow_times(Cells& row, const std::vector<double>& ms) {
    const TimeSummary times = summarise_times(ms);
    append(row, {milliseconds_text(times.median_ms),
                 milliseconds_text(times.quartile_1_ms) + " - " + milliseconds_text(times.quartile_3_ms),
                 rate_text(times.median_ms)});
}

Cells flow_heading(const TrackBenchmark& benchmark) {
    Cells heading{"points",   "window",    "levels",    "iterations", "ms",           "quartiles",
                  "frames/s", "OpenCV ms", "quartiles", "frames/s",   "times as fast"};
    if (has_gpu_times(benchmark)) append(heading, {"GPU ms", "quartiles", "frames/s"});
    heading.emplace_back("equal");
    return heading;
}

Cells flow_row(const FlowTimes& times) {
    Cells row{grouped(times.points), std::to_string(times.window), std::to_string(times.levels),
              std::to_string(times.iterations)};
    append_flow_times(row, times.fovea_ms);
    append_flow_times(row, times.opencv_ms);
    row.push_back(fixed(median_time(times.opencv_ms) / median_time(times.fovea_ms), 2));
    if (!times.gpu_ms.empty()) append_flow_times(row, times.gpu_ms);
    row.emplace_back(times.equal ? "yes" : "no");
    return row;
}

}  // namespace

TextTable redetect_table(const TrackBenchmark& benchmark) {
    TextTable rows{{"detection in", "results"}};
    append(rows[0], accuracy_heading());
    for (const StudyRow& row : benchmark.study.rows) {
        if (row.part != "redetect") continue;
        Cells& cells = rows.emplace_back(Cells{kind_of_detection(row), mode_text(row)});
        append(cells, accuracy_cells(row.accuracy));
    }
    return rows;
}

TextTable kinds_table(const TrackBenchmark& benchmark, const std::string& part) {
    TextTable rows{{part == "speed" ? "face widths/frame" : "clip", "detection in", "results"}};
    append(rows[0], accuracy_heading());
    for (const StudyRow& row : benchmark.study.rows) {
        if (row.part != part) continue;
        Cells& cells = rows.emplace_back(
            Cells{row.redetect == 1 ? row.setting : "", kind_of_detection(row), mode_text(row)});
        append(cells, accuracy_cells(row.accuracy));
    }
    return rows;
}

TextTable flow_settings_table(const TrackBenchmark& benchmark) {
    TextTable rows{{"flow", "setting"}};
    append(rows[0], accuracy_heading());
    for (const StudyRow& row : benchmark.study.rows) {
        if (row.part != "points" && row.part != "window" && row.part != "levels" && row.part != "iterations")
            continue;
        Cells& cells = rows.emplace_back(Cells{row.part, row.setting});
        append(cells, accuracy_cells(row.accuracy));
    }
    return rows;
}

TextTable drift_table(const TrackBenchmark& benchmark) {
    TextTable rows{{"frames since detection", "faces", "IoU", "NME", "every frame", "ratio"}};
    const auto longest =
        std::max_element(benchmark.study.drift.begin(), benchmark.study.drift.end(),
                         [](const DriftCurve& a, const DriftCurve& b) { return a.redetect < b.redetect; });
    if (longest == benchmark.study.drift.end()) return rows;
    for (const DriftPoint& point : longest->points) {
        const bool is_shown = point.followed <= 5 || point.followed % 5 == 0;
        if (!is_shown || !(point.nme_of_every_frame > 0)) continue;
        rows.push_back({std::to_string(point.followed), std::to_string(point.faces), fixed(point.iou, 3),
                        error_text(point.nme), error_text(point.nme_of_every_frame),
                        fixed(point.nme / point.nme_of_every_frame, 3)});
    }
    return rows;
}

TextTable frame_times_table(const TrackBenchmark& benchmark) {
    TextTable rows{
        {"ms per frame", "boxes", "mean", "median", "p99", "max", "detected frames", "frames/s", "speed-up"}};
    for (const FrameTimes& times : benchmark.times) {
        rows.push_back({times.work, fixed(times.boxes, 2), milliseconds_text(times.mean_ms),
                        milliseconds_text(times.median_ms), milliseconds_text(times.p99_ms),
                        milliseconds_text(times.max_ms), milliseconds_text(times.detected_mean_ms),
                        rate_text(times.mean_ms), times.speed_up ? fixed(*times.speed_up, 2) : "-"});
    }
    if (rows.size() == 1) return rows;
    const auto published = [&](const char* work, const char* ms, const char* speed_up) {
        rows.push_back({std::string(helf_work) + ": " + work, "-", ms, "-", "-", "-", "-", "-", speed_up});
    };
    published("every frame", "41.31", "-");
    published("no face", "24.80", "-");
    published("every 10th frame", "25.05", "1.65");
    return rows;
}

const FlowTimes* usual_flow(const TrackBenchmark& benchmark, int points) {
    const FlowTimingPlan& plan = benchmark.request.flow;
    return flow_of(benchmark, points, usual_of(plan.windows, benchmark.request.tracker.flow_window),
                   usual_of(plan.levels, benchmark.request.tracker.flow_levels),
                   usual_of(plan.iterations, benchmark.request.tracker.flow_iterations));
}

TextTable flow_points_table(const TrackBenchmark& benchmark) {
    TextTable rows{flow_heading(benchmark)};
    for (const int points : benchmark.request.flow.points) {
        const FlowTimes* times = usual_flow(benchmark, points);
        if (times != nullptr) rows.push_back(flow_row(*times));
    }
    return rows;
}

TextTable flow_windows_table(const TrackBenchmark& benchmark) {
    TextTable rows{flow_heading(benchmark)};
    const int points = usual_of(benchmark.request.flow.points, 500);
    for (const FlowTimes& times : benchmark.flow) {
        if (times.points == points && !times.fovea_ms.empty()) rows.push_back(flow_row(times));
    }
    return rows;
}

std::string track_headlines(const TrackBenchmark& benchmark) {
    std::string text;
    const int usual = benchmark.request.study.redetect;
    for (const bool is_live : {true, false}) {
        const StudyRow* row = benchmark.study.find("redetect", std::to_string(usual), is_live, usual);
        if (row == nullptr || !row->accuracy.nme_ratio) continue;
        text += fmt::format(
            "landmark error, detection in 1 of {} frames, {}: {} times that of detection in every frame\n",
            usual, is_live ? "live" : "late", fixed(*row->accuracy.nme_ratio, 3));
    }
    for (const FrameTimes& times : benchmark.times) {
        if (times.redetect != usual || !times.speed_up) continue;
        text += fmt::format("time, detection in 1 of {} frames: {} times as fast as in every frame\n", usual,
                            fixed(*times.speed_up, 2));
    }
    if (!benchmark.flow.empty()) {
        const auto differ = std::count_if(benchmark.flow.begin(), benchmark.flow.end(),
                                          [](const FlowTimes& times) { return !times.equal; });
        text += differ == 0 ? fmt::format("flow: all points equal OpenCV's in every bit, in {} settings\n",
                                          benchmark.flow.size())
                            : fmt::format("flow: points differ from OpenCV's in {} of {} settings\n", differ,
                                          benchmark.flow.size());
    }
    return text;
}

}  // namespace fovea::report
