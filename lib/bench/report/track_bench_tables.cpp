#include "lib/bench/report/track_bench_tables.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/bench_page.hpp"
#include "lib/core/time_summary.hpp"

namespace fovea::report {
namespace {

// C. Helf, "Real-Time Facial Feature Detection on Mobile Graphics Processing Units", 2018, section 5.2.
constexpr const char* helf_work = "Helf 2018, iPhone 7, 720p, one face";

template <class Value>
bool measured(const std::vector<Value>& values, Value wanted) {
    return std::find(values.begin(), values.end(), wanted) != values.end();
}

const ShownColumns<StudyRow>& accuracy_columns() {
    static const ShownColumns<StudyRow> columns{
        {{"found", "share of the faces that are found with an IoU of at least 0.5"},
         [](const StudyRow& row) { return share_cell(row.accuracy.found); }},
        {{"IoU"}, [](const StudyRow& row) { return value_cell(row.accuracy.iou, 3); }},
        {{"NME"}, [](const StudyRow& row) { return share_cell(row.accuracy.nme, 2); }},
        {{"median NME"}, [](const StudyRow& row) { return share_cell(row.accuracy.median_nme, 2); }},
        {{"NME ratio", "to detection in every frame"},
         [](const StudyRow& row) { return value_cell(row.accuracy.nme_ratio.value_or(no_value), 3); }},
        {{"false/frame"}, [](const StudyRow& row) { return value_cell(row.accuracy.false_boxes, 3); }},
        {{"tracks/face"}, [](const StudyRow& row) { return value_cell(row.accuracy.tracks_per_face, 2); }},
        {{"switches"}, [](const StudyRow& row) { return value_cell(row.accuracy.switches, 0); }}};
    return columns;
}

const ShownColumns<StudyRow>& detection_columns() {
    static const ShownColumns<StudyRow> columns{
        {words("detection in"),
         [](const StudyRow& row) {
             return Cell(row.redetect == 1 ? "every frame" : "every " + std::to_string(row.redetect));
         }},
        {words("results"), [](const StudyRow& row) {
             return row.redetect == 1 ? not_measured : Cell(row.is_live ? "live" : "late");
         }}};
    return columns;
}

/// The rows of some parts, with their accuracy behind other columns.
Table study_table(const TrackBenchmark& benchmark, const std::vector<std::string>& parts,
                  ShownColumns<StudyRow> columns) {
    std::vector<StudyRow> rows;
    for (const StudyRow& row : benchmark.study.rows) {
        if (measured(parts, row.part)) rows.push_back(row);
    }
    append(columns, accuracy_columns());
    return table_of(columns, rows);
}

Cell ms_of_frame(double ms) {
    return value_cell(ms, ms < 10 ? 2 : 1);
}

Cell frame_rate(double ms) {
    return rate_cell(ms > 0 ? 1000 / ms : 0);
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

void add_flow_times(ShownColumns<FlowTimes>& columns, const std::string& title,
                    std::vector<double> FlowTimes::*ms) {
    add_median(columns, {title}, ms, ms_of_frame);
    columns.push_back(
        {{"frames/s"}, [ms](const FlowTimes& times) { return frame_rate(median_time(times.*ms)); }});
}

Table flow_table(const std::vector<FlowTimes>& rows) {
    ShownColumns<FlowTimes> columns{
        {{"points"}, [](const FlowTimes& times) { return count_cell(times.points); }},
        {{"window"}, [](const FlowTimes& times) { return count_cell(times.window); }},
        {{"levels"}, [](const FlowTimes& times) { return count_cell(times.levels); }},
        {{"iterations"}, [](const FlowTimes& times) { return count_cell(times.iterations); }}};
    add_flow_times(columns, "ms", &FlowTimes::fovea_ms);
    add_flow_times(columns, "OpenCV ms", &FlowTimes::opencv_ms);
    columns.push_back({{"times as fast"}, [](const FlowTimes& times) {
                           return value_cell(median_time(times.opencv_ms) / median_time(times.fovea_ms), 2);
                       }});
    if (!rows.empty() && !rows.front().gpu_ms.empty()) add_flow_times(columns, "GPU ms", &FlowTimes::gpu_ms);
    columns.push_back({words("equal", "whether all found the same points at the same places, in every bit"),
                       [](const FlowTimes& times) { return Cell(times.equal ? "yes" : "no"); }});
    return table_of(columns, rows);
}

}  // namespace

Table redetect_table(const TrackBenchmark& benchmark) {
    return study_table(benchmark, {"redetect"}, detection_columns());
}

Table kinds_table(const TrackBenchmark& benchmark, const std::string& part) {
    ShownColumns<StudyRow> columns{
        {words(part == "speed" ? "face widths/frame" : "clip"),
         [](const StudyRow& row) { return Cell(row.redetect == 1 ? row.setting : ""); }}};
    append(columns, detection_columns());
    return study_table(benchmark, {part}, columns);
}

Table flow_settings_table(const TrackBenchmark& benchmark) {
    return study_table(benchmark, {"points", "window", "levels", "iterations"},
                       {{words("flow"), [](const StudyRow& row) { return Cell(row.part); }},
                        {words("setting"), [](const StudyRow& row) { return Cell(row.setting); }}});
}

Table drift_table(const TrackBenchmark& benchmark) {
    static const ShownColumns<DriftPoint> columns{
        {{"frames since detection"}, [](const DriftPoint& p) { return value_cell(p.followed, 0); }},
        {{"faces"}, [](const DriftPoint& p) { return value_cell(static_cast<double>(p.faces), 0); }},
        {{"IoU"}, [](const DriftPoint& p) { return value_cell(p.iou, 3); }},
        {{"NME"}, [](const DriftPoint& p) { return share_cell(p.nme, 2); }},
        {{"every frame", "NME of detection in every frame on the same faces"},
         [](const DriftPoint& p) { return share_cell(p.nme_of_every_frame, 2); }},
        {{"ratio"}, [](const DriftPoint& p) { return value_cell(p.nme / p.nme_of_every_frame, 3); }}};
    std::vector<DriftPoint> points;
    const auto longest =
        std::max_element(benchmark.study.drift.begin(), benchmark.study.drift.end(),
                         [](const DriftCurve& a, const DriftCurve& b) { return a.redetect < b.redetect; });
    if (longest != benchmark.study.drift.end()) points = longest->points;
    std::erase_if(points, [](const DriftPoint& p) {
        return (p.followed > 5 && p.followed % 5 != 0) || !(p.nme_of_every_frame > 0);
    });
    return table_of(columns, points);
}

Table frame_times_table(const TrackBenchmark& benchmark) {
    static const ShownColumns<FrameTimes> columns{
        {words("ms per frame"), [](const FrameTimes& times) { return Cell(times.work); }},
        {{"boxes"}, [](const FrameTimes& times) { return value_cell(times.boxes, 2); }},
        {{"mean"}, [](const FrameTimes& times) { return ms_of_frame(times.mean_ms); }},
        {{"median"}, [](const FrameTimes& times) { return ms_of_frame(times.median_ms); }},
        {{"p99"}, [](const FrameTimes& times) { return ms_of_frame(times.p99_ms); }},
        {{"max"}, [](const FrameTimes& times) { return ms_of_frame(times.max_ms); }},
        {{"detected frames", "mean of the frames in which a detector ran"},
         [](const FrameTimes& times) { return ms_of_frame(times.detected_mean_ms); }},
        {{"frames/s"}, [](const FrameTimes& times) { return frame_rate(times.mean_ms); }},
        {{"speed-up", "of the mean, against detection in every frame of the same clip"},
         [](const FrameTimes& times) { return value_cell(times.speed_up.value_or(no_value), 2); }}};
    Table table = table_of(columns, benchmark.times);
    if (table.rows.empty()) return table;
    const auto published = [&](const char* work, double ms, double speed_up) {
        std::vector<Cell> row(table.columns.size(), not_measured);
        row[0] = std::string(helf_work) + ": " + work;
        row[2] = value_cell(ms, 2);
        row.back() = value_cell(speed_up, 2);
        table.rows.push_back(std::move(row));
    };
    published("every frame", 41.31, no_value);
    published("no face", 24.80, no_value);
    published("every 10th frame", 25.05, 1.65);
    return table;
}

const FlowTimes* usual_flow(const TrackBenchmark& benchmark, int points) {
    const FlowTimingPlan& plan = benchmark.request.flow;
    return flow_of(benchmark, points, usual_of(plan.windows, benchmark.request.tracker.flow_window),
                   usual_of(plan.levels, benchmark.request.tracker.flow_levels),
                   usual_of(plan.iterations, benchmark.request.tracker.flow_iterations));
}

Table flow_points_table(const TrackBenchmark& benchmark) {
    std::vector<FlowTimes> rows;
    for (const int points : benchmark.request.flow.points) {
        const FlowTimes* times = usual_flow(benchmark, points);
        if (times != nullptr) rows.push_back(*times);
    }
    return flow_table(rows);
}

Table flow_windows_table(const TrackBenchmark& benchmark) {
    const int points = usual_of(benchmark.request.flow.points, 500);
    std::vector<FlowTimes> rows = benchmark.flow;
    std::erase_if(rows,
                  [&](const FlowTimes& times) { return times.points != points || times.fovea_ms.empty(); });
    return flow_table(rows);
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
