#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/track_bench_report.hpp"
#include "lib/bench/report/track_bench_tables.hpp"
#include "lib/core/time_summary.hpp"

namespace fovea::report {
namespace {

using Curve = std::vector<PlotPoint>;

/// Adds a plot, if there is anything to see in it.
void add_curves(std::vector<Plot>& plots, Plot plot, const std::vector<std::string>& names,
                std::vector<Curve> curves, Mark mark) {
    plot.series = curves_of(names, std::move(curves), mark);
    if (!plot.series.empty()) plots.push_back(std::move(plot));
}

/// Adds the errors by the settings of a part.
void add_error_plot(std::vector<Plot>& plots, const TrackBenchmark& benchmark, const std::string& part,
                    const std::string& x_label, const std::string& stem, const std::string& title) {
    Plot plot{
        stem, title,
        "Mean distance of the landmarks from the truth, as a share of the distance between the outer eye "
        "corners."};
    std::vector<AxisMark> settings;
    std::vector<Curve> curves(3);
    for (const StudyRow& row : benchmark.study.rows) {
        if (row.part != part) continue;
        const auto known = std::find_if(settings.begin(), settings.end(),
                                        [&](const AxisMark& mark) { return mark.label == row.setting; });
        const auto x = static_cast<double>(known - settings.begin());
        if (known == settings.end()) settings.push_back({x, row.setting});
        curves[row.redetect == 1 ? 0 : row.is_live ? 1 : 2].push_back({x, row.accuracy.nme});
    }
    plot.x = category_axis(x_label, std::move(settings));
    plot.y = {.label = "NME", .is_share = true, .min = 0};
    add_curves(plots, std::move(plot), {"detection in every frame", "followed, live", "followed, late"},
               std::move(curves), Mark::line_dots);
}

void add_drift_plots(std::vector<Plot>& plots, const TrackBenchmark& benchmark) {
    std::vector<std::string> names;
    std::vector<Curve> errors, overlaps;
    for (const DriftCurve& curve : benchmark.study.drift) {
        names.push_back(fmt::format("K = {}", curve.redetect));
        Curve &error = errors.emplace_back(), &overlap = overlaps.emplace_back();
        for (const DriftPoint& point : curve.points) {
            if (!(point.nme_of_every_frame > 0)) continue;
            const auto followed = static_cast<double>(point.followed);
            error.push_back({followed, point.nme / point.nme_of_every_frame});
            overlap.push_back({followed, point.iou});
        }
    }
    Plot of_errors{
        "track_drift_nme", "Drift of the landmarks",
        "Landmark error by the frames since the last detection, over that of detection in every frame "
        "on the same faces."};
    of_errors.y = {.label = "NME ratio", .min = 0.5};
    Plot of_overlaps{"track_drift_iou", "Drift of the boxes",
                     "Overlap with the true box by the frames since the last detection."};
    of_overlaps.y = {.label = "IoU", .min = 0, .max = 1};
    of_errors.x.label = of_overlaps.x.label = "Frames since the detection";
    add_curves(plots, std::move(of_errors), names, std::move(errors), Mark::line);
    add_curves(plots, std::move(of_overlaps), names, std::move(overlaps), Mark::line);
}

void add_times_plots(std::vector<Plot>& plots, const TrackBenchmark& benchmark) {
    const TimingPlan& plan = benchmark.request.timing;
    const auto frame_count = static_cast<std::size_t>(plan.clip.frames);
    std::vector<std::string> names;
    std::vector<Curve> frames, shares;
    for (const FrameTimes& times : benchmark.times) {
        const bool is_shown = times.has_faces && (times.redetect == 1 || times.redetect == 10 ||
                                                  times.redetect == plan.redetects.back());
        if (!is_shown || times.ms.empty()) continue;
        names.push_back(times.work);
        Curve &frame = frames.emplace_back(), &share = shares.emplace_back();
        for (std::size_t i = 0; i < std::min(frame_count, times.ms.size()); ++i)
            frame.push_back({static_cast<double>(i), times.ms[i]});
        std::vector<double> sorted = times.ms;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t i = 0; i < sorted.size(); ++i)
            share.push_back({sorted[i], static_cast<double>(i + 1) / static_cast<double>(sorted.size())});
    }
    Plot of_frames{"track_times", "Time of every frame",
                   "One run through the clip. Peaks are frames in which the detector runs."};
    of_frames.x.label = "Frame";
    of_frames.y = {.label = "ms", .min = 0};
    Plot of_shares{"track_time_shares", "Frames by their time", "Share of the frames that take no longer."};
    of_shares.x = {.label = "ms", .min = 0};
    of_shares.y = share_axis("Frames");
    add_curves(plots, std::move(of_frames), names, std::move(frames), Mark::line);
    add_curves(plots, std::move(of_shares), names, std::move(shares), Mark::line);
}

void add_flow_plot(std::vector<Plot>& plots, const TrackBenchmark& benchmark) {
    std::vector<Curve> curves(3);
    for (const int points : benchmark.request.flow.points) {
        const FlowTimes* times = usual_flow(benchmark, points);
        if (times == nullptr) continue;
        const auto add = [&](Curve& curve, const std::vector<double>& ms) {
            if (!ms.empty()) curve.push_back({static_cast<double>(points), 1000 / median_time(ms)});
        };
        add(curves[0], times->fovea_ms);
        add(curves[1], times->opencv_ms);
        add(curves[2], times->gpu_ms);
    }
    Plot plot{"track_flow", "Flow alone",
              "Frames a second by the number of points: a pyramid, and the points followed."};
    plot.x = {.label = "Points", .scale = Scale::log};
    plot.y = {.label = "Frames/s", .scale = Scale::log};
    add_curves(plots, std::move(plot), {"Fovea", "OpenCV", "Fovea on the GPU"}, std::move(curves),
               Mark::line_dots);
}

}  // namespace

std::vector<Plot> track_bench_plots(const TrackBenchmark& benchmark) {
    std::vector<Plot> plots;
    add_error_plot(plots, benchmark, "redetect", "A detector runs in every Kth frame", "track_redetect",
                   "Landmark error against K");
    add_drift_plots(plots, benchmark);
    add_error_plot(plots, benchmark, "speed", "Face widths a frame", "track_speed",
                   "Landmark error against speed");
    add_error_plot(plots, benchmark, "condition", "Clip", "track_conditions", "Landmark error by clip");
    add_times_plots(plots, benchmark);
    add_flow_plot(plots, benchmark);
    return plots;
}

}  // namespace fovea::report
