#include "lib/bench/report/track_bench_report.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/bench_numbers.hpp"
#include "lib/bench/report/bench_page.hpp"
#include "lib/bench/report/track_bench_tables.hpp"
#include "lib/core/text.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea::report {
namespace {

std::string size_text(Size size) {
    return fmt::format("{}x{}", size.width, size.height);
}

std::string clips_text(const TrackBenchmark& benchmark) {
    const StudyPlan& plan = benchmark.request.study;
    return fmt::format("{} of {} and {} each, {}", counted(static_cast<std::size_t>(plan.clips), "clip"),
                       counted(static_cast<std::size_t>(plan.clip.frames), "frame"),
                       counted(static_cast<std::size_t>(plan.clip.faces), "face"), size_text(plan.clip.size));
}

void add_tables(Report& report, const TrackBenchmark& benchmark) {
    const std::string clips = clips_text(benchmark);
    const TrackBenchmarkRequest& request = benchmark.request;
    add_table(report, "redetect", "Error against K", redetect_table(benchmark),
              clips +
                  ". A detector runs in every Kth frame. Live: results at once; late: faces are "
                  "also followed back. Found: IoU of at least 0.5, of faces half of which are "
                  "visible. NME: by the distance of the outer eye corners; ratio: to detection in "
                  "every frame, over the faces that both find.");
    add_table(report, "drift", "Drift", drift_table(benchmark),
              "Live; the largest K. Faces by the frames since their detection.");
    add_table(report, "speed", "Speed", kinds_table(benchmark, "speed"), clips + ", at mean speeds.");
    add_table(report, "condition", "Hard clips", kinds_table(benchmark, "condition"),
              clips + ", hard in one way each.");
    add_table(report, "settings", "Settings of the flow", flow_settings_table(benchmark),
              fmt::format("{}, at {} face widths a frame. Live, K = {}. One setting differs from the "
                          "tracker's own.",
                          clips, shortest_number(request.study.flow_speed), request.study.redetect));
    add_table(report, "times", "Time of a frame", frame_times_table(benchmark),
              fmt::format("{}, {}. From grey pixels in the device's memory to boxes with landmarks, "
                          "results at once.",
                          size_text(request.timing.clip.size),
                          counted(static_cast<std::size_t>(request.timing.clip.faces), "face")));
    add_table(report, "flow", "Flow alone", flow_points_table(benchmark),
              size_text(request.flow.size) +
                  ". From the grey pixels of a frame to the places of the points in it: "
                  "one pyramid, points followed one way. Medians. Helf 2018 (GPU of an iPhone 7, 720p) "
                  "has 68 frames/s for 5,000 points and 430 for 100.");
    add_table(report, "flow-settings", "Flow alone, by window, levels and iterations",
              flow_windows_table(benchmark), "As before.");
}

Json accuracy_json(const TrackAccuracy& accuracy) {
    Json json{{"faces", accuracy.faces},
              {"found", rounded(accuracy.found, 6)},
              {"iou", rounded(accuracy.iou, 6)},
              {"nme", rounded(accuracy.nme, 6)},
              {"median_nme", rounded(accuracy.median_nme, 6)},
              {"nme_ratio", nullptr},
              {"false_boxes_per_frame", rounded(accuracy.false_boxes, 6)},
              {"tracks_per_face", rounded(accuracy.tracks_per_face, 6)},
              {"switches", accuracy.switches}};
    if (accuracy.nme_ratio) json["nme_ratio"] = rounded(*accuracy.nme_ratio, 6);
    return json;
}

Json study_json(const TrackStudy& study) {
    Json json = Json::array();
    for (const StudyRow& row : study.rows) {
        Json entry{{"part", row.part},
                   {"setting", row.setting},
                   {"redetect", row.redetect},
                   {"results", row.redetect == 1 || row.is_live ? "live" : "late"}};
        entry.update(accuracy_json(row.accuracy));
        json.push_back(std::move(entry));
    }
    return json;
}

Json drift_json(const TrackStudy& study) {
    Json json = Json::array();
    for (const DriftCurve& curve : study.drift) {
        Json points = Json::array();
        for (const DriftPoint& point : curve.points) {
            points.push_back({{"followed", point.followed},
                              {"faces", point.faces},
                              {"iou", rounded(point.iou, 6)},
                              {"nme", rounded(point.nme, 6)},
                              {"nme_of_every_frame", rounded(point.nme_of_every_frame, 6)}});
        }
        json.push_back({{"redetect", curve.redetect}, {"points", std::move(points)}});
    }
    return json;
}

Json frame_times_json(const FrameTimes& times) {
    Json json{{"work", times.work},
              {"redetect", times.redetect},
              {"faces", times.has_faces},
              {"boxes_per_frame", rounded(times.boxes, 4)},
              {"frames", times.ms.size()},
              {"mean_ms", rounded(times.mean_ms, 4)},
              {"median_ms", rounded(times.median_ms, 4)},
              {"p99_ms", rounded(times.p99_ms, 4)},
              {"max_ms", rounded(times.max_ms, 4)},
              {"detected_mean_ms", rounded(times.detected_mean_ms, 4)},
              {"run_mean_ms",
               {{"least", rounded(times.quickest_mean_ms, 4)}, {"most", rounded(times.slowest_mean_ms, 4)}}},
              {"speed_up", nullptr}};
    if (times.speed_up) json["speed_up"] = rounded(*times.speed_up, 4);
    return json;
}

Json flow_json(const FlowTimes& times) {
    Json json{{"points", times.points},
              {"window", times.window},
              {"levels", times.levels},
              {"iterations", times.iterations},
              {"found", times.found},
              {"equal", times.equal},
              {"fovea", times_json(times.fovea_ms)},
              {"opencv", times_json(times.opencv_ms)}};
    if (!times.gpu_ms.empty()) json["fovea_gpu"] = times_json(times.gpu_ms);
    return json;
}

Json clip_json(const ClipPlan& clip) {
    return {{"width", clip.size.width}, {"height", clip.size.height},    {"frames", clip.frames},
            {"faces", clip.faces},      {"face_width", clip.face_width}, {"speed", clip.speed},
            {"zoom", clip.zoom},        {"turn_degrees", clip.turn},     {"crossing", clip.crossing},
            {"bar", clip.bar},          {"exposure", clip.exposure},     {"blur", clip.blur},
            {"noise", clip.noise}};
}

std::string study_csv(const TrackStudy& study) {
    std::string text =
        "part,setting,redetect,results,faces,found,iou,nme,median_nme,nme_ratio,false_boxes_per_frame,"
        "tracks_per_face,switches\n";
    for (const StudyRow& row : study.rows) {
        const TrackAccuracy& a = row.accuracy;
        text += fmt::format("{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{},{:.6f},{:.6f},{}\n", row.part,
                            row.setting, row.redetect, row.redetect == 1 || row.is_live ? "live" : "late",
                            a.faces, a.found, a.iou, a.nme, a.median_nme,
                            a.nme_ratio ? fmt::format("{:.6f}", *a.nme_ratio) : "", a.false_boxes,
                            a.tracks_per_face, a.switches);
    }
    return text;
}

std::string drift_csv(const TrackStudy& study) {
    std::string text = "redetect,followed,faces,iou,nme,nme_of_every_frame\n";
    for (const DriftCurve& curve : study.drift) {
        for (const DriftPoint& point : curve.points) {
            text += fmt::format("{},{},{},{:.6f},{:.6f},{:.6f}\n", curve.redetect, point.followed,
                                point.faces, point.iou, point.nme, point.nme_of_every_frame);
        }
    }
    return text;
}

std::string times_csv(const TrackBenchmark& benchmark) {
    std::string text = "faces,redetect,run,frame,ms\n";
    const auto frames = static_cast<std::size_t>(std::max(1, benchmark.request.timing.clip.frames));
    for (const FrameTimes& times : benchmark.times) {
        for (std::size_t i = 0; i < times.ms.size(); ++i) {
            text +=
                fmt::format("{},{},{},{},{:.4f}\n", times.has_faces ? benchmark.request.timing.clip.faces : 0,
                            times.redetect, i / frames, i % frames, times.ms[i]);
        }
    }
    return text;
}

/// Empty cells without a GPU.
std::string flow_cells_csv(const std::vector<double>& ms) {
    if (ms.empty()) return ",,,";
    const TimeSummary times = summarise_times(ms);
    return fmt::format(",{:.4f},{:.4f},{:.4f}", times.median_ms, times.quartile_1_ms, times.quartile_3_ms);
}

std::string flow_csv(const std::vector<FlowTimes>& flow) {
    std::string text = "points,window,levels,iterations,found,equal";
    for (const char* who : {"fovea", "opencv", "fovea_gpu"})
        text += fmt::format(",{0}_median_ms,{0}_quartile_1_ms,{0}_quartile_3_ms", who);
    text += "\n";
    for (const FlowTimes& times : flow) {
        if (times.fovea_ms.empty()) continue;
        text += fmt::format("{},{},{},{},{},{}", times.points, times.window, times.levels, times.iterations,
                            times.found, times.equal ? 1 : 0) +
                flow_cells_csv(times.fovea_ms) + flow_cells_csv(times.opencv_ms) +
                flow_cells_csv(times.gpu_ms) + "\n";
    }
    return text;
}

std::string lead_of(const TrackBenchmark& benchmark, const std::string& machine) {
    return fmt::format("Measured on {}, with {} cut out of {}.", machine, counted(benchmark.faces, "face"),
                       counted(benchmark.photos, "photograph"));
}

}  // namespace

Json track_benchmark_json(const TrackBenchmark& benchmark) {
    Json conditions = Json::object();
    for (const ClipPlan& clip : benchmark.request.study.conditions) conditions[clip.name] = clip_json(clip);
    const BoxOffsets& boxes = benchmark.study.calibration;
    Json json{{"faces_cut_out", benchmark.faces},
              {"photographs", benchmark.photos},
              {"clips",
               {{"of_each_kind", benchmark.request.study.clips},
                {"usual", clip_json(benchmark.request.study.clip)},
                {"timed", clip_json(benchmark.request.timing.clip)},
                {"conditions", std::move(conditions)}}},
              {"calibration",
               {{"left", rounded(boxes.left, 6)},
                {"right", rounded(boxes.right, 6)},
                {"top", rounded(boxes.top, 6)},
                {"bottom", rounded(boxes.bottom, 6)}}},
              {"study", study_json(benchmark.study)},
              {"drift", drift_json(benchmark.study)},
              {"times", Json::array()},
              {"flow", Json::array()},
              {"interrupted", benchmark.interrupted}};
    for (const FrameTimes& times : benchmark.times) json["times"].push_back(frame_times_json(times));
    for (const FlowTimes& times : benchmark.flow) json["flow"].push_back(flow_json(times));
    return json;
}

std::filesystem::path write_track_benchmark(const std::filesystem::path& folder, const Json& json,
                                            const TrackBenchmark& benchmark, const std::string& machine) {
    make_output_folder(folder, "benchmark");
    StagedFiles files(folder);
    files.add("bench.json", indented_text(json) + "\n");
    files.add("study.csv", study_csv(benchmark.study));
    files.add("drift.csv", drift_csv(benchmark.study));
    files.add("times.csv", times_csv(benchmark));
    files.add("flow.csv", flow_csv(benchmark.flow));
    Report report = bench_report("Faces followed through drawn clips", lead_of(benchmark, machine));
    add_plots(report, track_bench_plots(benchmark));
    add_tables(report, benchmark);
    report.footer = "bench.json has all numbers, and the CSV files have them as tables.";
    return publish_benchmark(files, folder, report, "report");
}

}  // namespace fovea::report
