#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/track_bench_report.hpp"
#include "lib/bench/report/track_bench_tables.hpp"
#include "lib/core/text.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

struct Line {
    std::string name;
    std::vector<CurvePoint> points;
};

DrawnPlot line_plot(const std::string& stem, const std::string& title, const std::string& caption,
                    PlotScript script, const std::vector<Line>& lines, bool with_marks) {
    std::vector<PlotScript> parts;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].points.empty()) continue;
        script += curve_block(plot_script("line{}", i), lines[i].points);
        const PlotScript kind = with_marks ? plot_script("linespoints pt {} ps 0.7 lw 2", 5 + 2 * (i % 5))
                                           : plot_script("lines lw 1.5");
        parts.push_back(plot_script("$line{} using 1:2 with {} {} {} title {}", i, kind, dash(i),
                                    line_colour(i), key_name(lines[i].name)));
    }
    return draw_plot_with_key(stem, title, caption, script + plot_command(parts), parts.size());
}

bool has_points(const std::vector<Line>& lines) {
    return std::any_of(lines.begin(), lines.end(), [](const Line& line) { return !line.points.empty(); });
}

Tics tics_of(const std::vector<std::string>& labels) {
    Tics tics;
    for (std::size_t i = 0; i < labels.size(); ++i) tics.add(labels[i], plot_script("{}", i));
    return tics;
}

PlotScript named_axis(const std::vector<std::string>& labels) {
    return plot_script("set xrange [-0.4:{:.6g}]\nset xtics {}\n", static_cast<double>(labels.size()) - 0.6,
                       tics_of(labels).script());
}

/// Percent of the distance between the outer eye corners, by the settings of a part.
void add_error_plot(std::vector<DrawnPlot>& plots, const TrackBenchmark& benchmark, const std::string& part,
                    const std::string& stem, const std::string& title, const std::string& x_label) {
    std::vector<std::string> labels;
    std::vector<Line> lines{{"detection in every frame", {}}, {"followed, live", {}}, {"followed, late", {}}};
    for (const StudyRow& row : benchmark.study.rows) {
        if (row.part != part) continue;
        if (std::find(labels.begin(), labels.end(), row.setting) == labels.end())
            labels.push_back(row.setting);
        const auto x =
            static_cast<double>(std::find(labels.begin(), labels.end(), row.setting) - labels.begin());
        lines[row.redetect == 1 ? 0 : row.is_live ? 1 : 2].points.push_back({x, 100 * row.accuracy.nme});
    }
    if (!has_points(lines)) return;
    plots.push_back(
        line_plot(stem, title,
                  "Mean distance of the landmarks from the truth, as a share of the distance "
                  "between the outer eye corners.",
                  axis_labels(x_label, "NME, %") + plot_script("set yrange [0:*]\n") + named_axis(labels),
                  lines, true));
}

void add_drift_plots(std::vector<DrawnPlot>& plots, const TrackBenchmark& benchmark) {
    std::vector<Line> errors, overlaps;
    for (const DriftCurve& curve : benchmark.study.drift) {
        Line& error = errors.emplace_back(Line{fmt::format("K = {}", curve.redetect), {}});
        Line& overlap = overlaps.emplace_back(Line{error.name, {}});
        for (const DriftPoint& point : curve.points) {
            if (!(point.nme_of_every_frame > 0)) continue;
            error.points.push_back(
                {static_cast<double>(point.followed), point.nme / point.nme_of_every_frame});
            overlap.points.push_back({static_cast<double>(point.followed), point.iou});
        }
    }
    if (!has_points(errors)) return;
    plots.push_back(line_plot(
        "track_drift_nme", "Drift of the landmarks",
        "Landmark error by the frames since the last detection, over that of detection "
        "in every frame on the same faces.",
        axis_labels("Frames since the detection", "NME ratio") + plot_script("set yrange [0.5:*]\n"), errors,
        false));
    plots.push_back(
        line_plot("track_drift_iou", "Drift of the boxes",
                  "Overlap with the true box by the frames since the last detection.",
                  axis_labels("Frames since the detection", "IoU") + plot_script("set yrange [0:1]\n"),
                  overlaps, false));
}

void add_times_plots(std::vector<DrawnPlot>& plots, const TrackBenchmark& benchmark) {
    std::vector<Line> frames, shares;
    const auto frame_count = static_cast<std::size_t>(benchmark.request.timing.clip.frames);
    for (const FrameTimes& times : benchmark.times) {
        const bool is_shown =
            times.has_faces && (times.redetect == 1 || times.redetect == 10 ||
                                times.redetect == benchmark.request.timing.redetects.back());
        if (!is_shown || times.ms.empty()) continue;
        Line& line = frames.emplace_back(Line{times.work, {}});
        for (std::size_t i = 0; i < std::min(frame_count, times.ms.size()); ++i)
            line.points.push_back({static_cast<double>(i), times.ms[i]});
        Line& share = shares.emplace_back(Line{times.work, {}});
        std::vector<double> sorted = times.ms;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t i = 0; i < sorted.size(); ++i)
            share.points.push_back(
                {sorted[i], 100 * static_cast<double>(i + 1) / static_cast<double>(sorted.size())});
    }
    if (frames.empty()) return;
    plots.push_back(line_plot("track_times", "Time of every frame",
                              "One run through the clip. Peaks are frames in which the detector runs.",
                              axis_labels("Frame", "ms") + plot_script("set yrange [0:*]\n"), frames, false));
    plots.push_back(
        line_plot("track_time_shares", "Frames by their time", "Share of the frames that take no longer.",
                  axis_labels("ms", "Frames, %") + plot_script("set yrange [0:100]\nset xrange [0:*]\n"),
                  shares, false));
}

void add_flow_plot(std::vector<DrawnPlot>& plots, const TrackBenchmark& benchmark) {
    std::vector<Line> lines{{"Fovea", {}}, {"OpenCV", {}}, {"Fovea on the GPU", {}}};
    for (const int points : benchmark.request.flow.points) {
        const FlowTimes* times = usual_flow(benchmark, points);
        if (times == nullptr) continue;
        lines[0].points.push_back({static_cast<double>(points), 1000 / median_time(times->fovea_ms)});
        lines[1].points.push_back({static_cast<double>(points), 1000 / median_time(times->opencv_ms)});
        if (!times->gpu_ms.empty())
            lines[2].points.push_back({static_cast<double>(points), 1000 / median_time(times->gpu_ms)});
    }
    if (!has_points(lines)) return;
    plots.push_back(line_plot("track_flow", "Flow alone",
                              "Frames a second by the number of points: a pyramid, and the points followed.",
                              axis_labels("Points", "Frames/s") + plot_script("set logscale xy\n"), lines,
                              true));
}

}  // namespace

std::vector<DrawnPlot> track_bench_plots(const TrackBenchmark& benchmark) {
    std::vector<DrawnPlot> plots;
    add_error_plot(plots, benchmark, "redetect", "track_redetect", "Landmark error against K",
                   "A detector runs in every Kth frame");
    add_drift_plots(plots, benchmark);
    add_error_plot(plots, benchmark, "speed", "track_speed", "Landmark error against speed",
                   "Face widths a frame");
    add_error_plot(plots, benchmark, "condition", "track_conditions", "Landmark error by clip", "Clip");
    add_times_plots(plots, benchmark);
    add_flow_plot(plots, benchmark);
    return plots;
}

}  // namespace fovea::report
