#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/records.hpp"
#include "lib/core/text.hpp"
#include "lib/core/time_summary.hpp"

namespace fovea::report {
namespace {

using Curve = std::vector<PlotPoint>;

// C. Helf, "Real-Time Facial Feature Detection on Mobile Graphics Processing Units", 2018, section 5.2.
constexpr const char* helf_work = "Helf 2018, iPhone 7, 720p, one face";
constexpr const char* work_title = "ms per frame";

Cell ms_of_frame(double ms) {
    return value_cell(ms, ms < 10 ? 2 : 1);
}

const std::vector<BenchField<FrameTimes>>& frame_fields() {
    const auto ms = [](double FrameTimes::*value) {
        return [value](const FrameTimes& times) {
            return number_value(times.*value, 4, ms_of_frame(times.*value));
        };
    };
    static const std::vector<BenchField<FrameTimes>> fields{
        {"work", words(work_title), [](const FrameTimes& t) { return text_value(t.work); }},
        {"redetect", {}, [](const FrameTimes& t) { return exact_value(t.redetect); }},
        {"boxes_per_frame",
         {"boxes"},
         [](const FrameTimes& t) { return number_value(t.boxes, 4, value_cell(t.boxes, 2)); }},
        {"frames", {}, [](const FrameTimes& t) { return count_value(t.ms.size()); }},
        {"mean_ms", {"mean"}, ms(&FrameTimes::mean_ms)},
        {"median_ms", {"median"}, ms(&FrameTimes::median_ms)},
        {"p99_ms", {"p99"}, ms(&FrameTimes::p99_ms)},
        {"max_ms", {"max"}, ms(&FrameTimes::max_ms)},
        {"detected_mean_ms",
         {"detected frames", "mean of the frames in which a detector ran"},
         ms(&FrameTimes::detected_mean_ms)},
        {"run_mean_ms/least", {}, ms(&FrameTimes::quickest_mean_ms)},
        {"run_mean_ms/most", {}, ms(&FrameTimes::slowest_mean_ms)},
        {{},
         {"frames/s"},
         [](const FrameTimes& t) {
             return BenchValue{{}, rate_cell(1000 / t.mean_ms)};
         }},
        {"speed_up", {"speed-up", "of the mean, against detection in every frame"}, [](const FrameTimes& t) {
             return t.speed_up ? number_value(*t.speed_up, 4, value_cell(*t.speed_up, 2))
                               : exact_value(nullptr);
         }}};
    return fields;
}

const std::vector<BenchField<FlowTimes>>& flow_fields() {
    const auto number = [](int FlowTimes::*value) {
        return
            [value](const FlowTimes& times) { return count_value(static_cast<std::size_t>(times.*value)); };
    };
    const auto ms = [](std::vector<double> FlowTimes::*value) {
        return [value](const FlowTimes& times) { return times_value(times.*value); };
    };
    static const std::vector<BenchField<FlowTimes>> fields{
        {"points", {"points"}, number(&FlowTimes::points)},
        {"window", {"window"}, number(&FlowTimes::window)},
        {"levels", {"levels"}, number(&FlowTimes::levels)},
        {"iterations", {"iterations"}, number(&FlowTimes::iterations)},
        {"found", {"found"}, [](const FlowTimes& t) { return count_value(t.found); }},
        {"fovea", {"Fovea ms"}, ms(&FlowTimes::fovea_ms)},
        {"opencv", {"OpenCV ms"}, ms(&FlowTimes::opencv_ms)},
        {{},
         {"times as fast"},
         [](const FlowTimes& t) {
             return BenchValue{{}, value_cell(median_time(t.opencv_ms) / median_time(t.fovea_ms), 2)};
         }},
        {"fovea_gpu", {"GPU ms"}, ms(&FlowTimes::gpu_ms)},
        {"equal", words("equal", "whether all found the same points at the same places, in every bit"),
         [](const FlowTimes& t) { return flag_value(t.equal); }}};
    return fields;
}

/// Adds a plot, if there is anything to see in it.
void add_curves(std::vector<Plot>& plots, Plot plot, const std::vector<std::string>& names,
                std::vector<Curve> curves, Mark mark) {
    plot.series = curves_of(names, std::move(curves), mark);
    if (!plot.series.empty()) plots.push_back(std::move(plot));
}

void add_times_plots(std::vector<Plot>& plots, const TrackBenchmark& benchmark) {
    std::vector<std::string> names;
    std::vector<Curve> frames, shares;
    for (const FrameTimes& times : benchmark.times) {
        const bool is_shown = times.redetect == 1 || times.redetect == 10 ||
                              times.redetect == benchmark.request.timing.redetects.back();
        if (!is_shown) continue;
        names.push_back(times.work);
        Curve &frame = frames.emplace_back(), &share = shares.emplace_back();
        for (std::size_t i = 0; i < std::min(benchmark.frames, times.ms.size()); ++i)
            frame.push_back({static_cast<double>(i), times.ms[i]});
        std::vector<double> sorted = times.ms;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t i = 0; i < sorted.size(); ++i)
            share.push_back({sorted[i], static_cast<double>(i + 1) / static_cast<double>(sorted.size())});
    }
    Plot of_frames{"track_times", "Time of every frame",
                   "One run through the frames. Peaks are frames in which the detector runs."};
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
        const FlowTimes* times = benchmark.usual_flow(points);
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

std::string frames_csv(const TrackBenchmark& benchmark) {
    std::string text = "redetect,run,frame,ms\n";
    for (const FrameTimes& times : benchmark.times) {
        for (std::size_t i = 0; i < times.ms.size(); ++i)
            text += fmt::format("{},{},{},{:.4f}\n", times.redetect, i / benchmark.frames,
                                i % benchmark.frames, times.ms[i]);
    }
    return text;
}

std::string flow_verdict(const TrackBenchmark& benchmark) {
    const auto differ = std::count_if(benchmark.flow.begin(), benchmark.flow.end(),
                                      [](const FlowTimes& times) { return !times.equal; });
    return differ == 0 ? fmt::format("flow: all points equal OpenCV's in every bit, in {} settings",
                                     benchmark.flow.size())
                       : fmt::format("flow: points differ from OpenCV's in {} of {} settings", differ,
                                     benchmark.flow.size());
}

constexpr const char* times_note =
    "From grey pixels in the device's memory to boxes with landmarks, results at once.";
constexpr const char* flow_note =
    "From the grey pixels of a frame to the places of the points in it: one pyramid, points followed one "
    "way. "
    "Medians. Helf 2018 (GPU of an iPhone 7, 720p) has 68 frames/s for 5,000 points and 430 for 100.";

}  // namespace

BenchRecord track_record(const TrackBenchmark& benchmark, const std::string& machine) {
    BenchRecord record{
        "Faces followed through a video",
        fmt::format("Measured on {}, with {} of {}x{}.", machine, counted(benchmark.frames, "frame"),
                    benchmark.size.width, benchmark.size.height),
        {list_of({"times", "Time of a frame", times_note}, frame_fields(), benchmark.times),
         list_of({"flow", "Flow alone", flow_note}, flow_fields(), benchmark.flow)}};
    const auto published = [&](const char* work, double ms, double speed_up) {
        record.lists[0].add_published({{work_title, std::string(helf_work) + ": " + work},
                                       {"mean", value_cell(ms, 2)},
                                       {"speed-up", value_cell(speed_up, 2)}});
    };
    published("every frame", 41.31, no_value);
    published("every 10th frame", 25.05, 1.65);
    for (std::size_t i = 0; i < benchmark.flow.size(); ++i)
        record.lists[1].rows[i].is_detail =
            &benchmark.flow[i] != benchmark.usual_flow(benchmark.flow[i].points);
    for (const FrameTimes& times : benchmark.times) {
        if (times.speed_up)
            record.notes.push_back(
                fmt::format("time, detection in 1 of {} frames: {} times as fast as in every frame",
                            times.redetect, fixed(*times.speed_up, 2)));
    }
    if (!benchmark.flow.empty()) record.notes.push_back(flow_verdict(benchmark));
    if (!benchmark.times.empty()) record.files.emplace_back("frames.csv", frames_csv(benchmark));
    add_times_plots(record.plots, benchmark);
    add_flow_plot(record.plots, benchmark);
    record.interrupted = benchmark.interrupted;
    return record;
}

}  // namespace fovea::report
