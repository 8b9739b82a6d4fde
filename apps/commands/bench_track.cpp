#include <filesystem>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/bench_machine.hpp"
#include "apps/options/bench_work_folder.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/bench/report/track_bench_report.hpp"
#include "lib/bench/report/track_bench_tables.hpp"
#include "lib/bench/track/track_benchmark.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/landmark_stage.hpp"
#include "lib/json/json.hpp"
#include "lib/report/plots/gnuplot.hpp"

namespace fovea {
namespace {

constexpr const char* bench_track_footer = R"(Examples:
  fovea bench track --out bench/
  fovea bench track pts:faces/ --part study --encode 28 --out bench/
  fovea bench track --part times --size 1920x1080 --device cuda --json

Cuts faces with landmarks out of photographs and draws clips in which they move along known paths. So the
truth is exact, but for the landmarks that were annotated.

  study   box IoU, landmark error (NME), drift, lost faces and changes of identity, by K (a detector runs in
          every Kth frame), speed, kind of clip and settings of the flow. Results are equal on every device;
          the CPU computes them.
  times   milliseconds of a frame, and the speed-up against detection in every frame
  flow    optical flow alone, beside OpenCV's calcOpticalFlowPyrLK with as many threads

Live results are given at once; late ones are also followed back (--look-back). Without a dataset, the
faces are those of Debian's package libdlib19.1.)";

/// The faces of Debian's package, whose landmarks were found by a model.
constexpr const char* usual_dataset =
    "/usr/share/doc/libdlib19.1/examples/faces/testing_with_face_landmarks.xml";

struct BenchTrackFlags {
    std::vector<std::string> dataset;
    DatasetFlags images;
    FieldFlags tracking;  ///< of TrackConfig
    SingleDetectorFlags detector;
    std::string landmarks = "helen";
    std::vector<std::string> parts;
    bool quick = false;
    std::optional<int> clips, frames, faces, repeat, crf;
    std::optional<std::size_t> seed;
    std::optional<std::string> size, keep, out;
    bool overwrite = false;
};

/// Fields of TrackConfig that change nothing here.
const std::vector<std::string>& flags_without_effect() {
    static const std::vector<std::string> keys{
        "follow", "redetect", "look_back", "rejoin", "max_rejoin_distance", "recogniser", "smoothing"};
    return keys;
}

RunConfig effective_config(const BenchTrackFlags& flags) {
    RunConfig config = single_detector_config("fovea bench track", flags.detector);
    std::vector<std::string> dataset = flags.dataset;
    if (dataset.empty()) {
        if (!is_there(usual_dataset)) {
            throw UsageError(
                std::string("the photographs of Debian's package libdlib19.1 are not installed (") +
                usual_dataset +
                "); name a dataset of faces with 68 landmarks, as dlib:FILE.xml or pts:FOLDER");
        }
        dataset = {std::string("dlib:") + usual_dataset};
    }
    set_images(dataset, config.dataset);
    apply(flags.images, config.dataset);
    flags.tracking.apply(config.tracking, FlagPaths::escaped);
    finish_config(config);
    return config;
}

TrackBenchmarkRequest request_of(const BenchTrackFlags& flags, const std::filesystem::path& work) {
    TrackBenchmarkRequest request = flags.quick ? quick_track_benchmark() : full_track_benchmark();
    if (!flags.parts.empty()) request.parts = flags.parts;
    StudyPlan& study = request.study;
    study.clips = flags.clips.value_or(study.clips);
    const auto change = [&](ClipPlan& clip) {
        clip.frames = flags.frames.value_or(clip.frames);
        clip.faces = flags.faces.value_or(clip.faces);
        clip.seed = flags.seed.value_or(clip.seed);
    };
    change(study.clip);
    for (ClipPlan& clip : study.conditions) change(clip);
    change(request.timing.clip);
    if (flags.size) {
        ClipPlan& timed = request.timing.clip;
        const Size size = parse_size(*flags.size, "--size");
        if (size.width < 160 || size.height < 120 || size.width > 7680 || size.height > 4320)
            throw UsageError("--size is from 160x120 to 7680x4320, and '" + *flags.size + "' is not");
        timed.face_width *= static_cast<double>(size.height) / timed.size.height;
        timed.size = size;
    }
    request.timing.repeat = flags.repeat.value_or(request.timing.repeat);
    request.flow.repeat = flags.repeat.value_or(request.flow.repeat);
    request.crf = flags.crf;
    if (flags.keep) request.keep = *flags.keep;
    request.work = work;
    return request;
}

std::string tables_of(const TrackBenchmark& benchmark) {
    std::string text;
    const auto add = [&](const std::string& title, const report::Table& table) {
        if (!table.rows.empty()) text += title + "\n" + format_tables({table}) + "\n";
    };
    add("a detector in every Kth frame", report::redetect_table(benchmark));
    add("drift", report::drift_table(benchmark));
    add("speed", report::kinds_table(benchmark, "speed"));
    add("hard clips", report::kinds_table(benchmark, "condition"));
    add("settings of the flow", report::flow_settings_table(benchmark));
    add("time of a frame", report::frame_times_table(benchmark));
    add("flow alone", report::flow_points_table(benchmark));
    return text + report::track_headlines(benchmark);
}

/// The models on the CPU for the study, and on the device for times.
struct Models {
    std::vector<LoadedDetector> detectors;
    LoadedLandmarker landmarker;
    BoxRule boxes;
};

Models load_models(const BenchTrackFlags& flags, const RunConfig& config, const DetectionDevice& device) {
    LandmarkConfig landmarks;
    landmarks.model = flags.landmarks;
    Models models{
        load_detectors(config, device, default_min_confidence), load_landmarker(landmarks, device), {}};
    const LoadedDetector& detector = models.detectors.at(0);
    models.boxes = rule_for_detector(landmarks, *models.landmarker.landmarker, detector_name(detector.config),
                                     detector.model);
    return models;
}

ExitCode bench_track(const BenchTrackFlags& flags, Console& console) {
    const InterruptGuard interrupt;  // before the folder is made that is to be removed
    const RunHooks hooks = run_hooks(console, interrupt);
    const RunConfig config = effective_config(flags);
    const BenchWorkFolder work(std::nullopt, "fovea-track");
    TrackBenchmarkRequest request = request_of(flags, work.path());
    const DetectionDevice device = open_detection_device(config.device);
    if (device.gpus.size() > 1)
        throw UsageError("fovea bench track measures one GPU; name it, as --device cuda:0");
    if (flags.out) {
        refuse_to_replace(std::filesystem::path(*flags.out) / "bench.json", flags.overwrite);
        make_output_folder(*flags.out, "benchmark");
        report::require_gnuplot();
    }
    const Models on_cpu = load_models(flags, config, DetectionDevice::cpu());
    const Models on_device = load_models(flags, config, device);
    if (device.is_cuda() && !on_device.detectors.at(0).make_for_gpu) {
        throw UsageError("fovea bench track measures one device, and " +
                         on_device.detectors.at(0).model.string() + " runs on the CPU; use --device cpu");
    }
    const auto points = static_cast<std::size_t>(on_cpu.landmarker.landmarker->model().points);
    const Dataset dataset = read_configured_dataset(config.dataset);
    console.stage("reading photographs");
    const std::size_t max_faces = static_cast<std::size_t>(std::max(request.study.clip.faces, 1)) *
                                  static_cast<std::size_t>(request.study.clips) * 4;
    const CutOuts cut_outs = cut_out_faces(dataset, points, max_faces);
    warn_unreadable(cut_outs.unreadable, dataset.samples.size());

    ThreadLimit limit(config.threads);
    const ScoredMeans scored =
        with_track_scores(config.tracking.tracker, on_cpu.detectors.at(0).config.options);
    request.tracker = scored.tracker;
    const TrackMeans study_means{*on_cpu.detectors.at(0).detector, scored.detection,
                                 on_cpu.landmarker.stage(on_cpu.boxes), limit};
    const Device timed_device = device.is_cuda() ? Device::cuda(device.gpus.front()) : Device::cpu();
    const std::unique_ptr<Detector> gpu_detector =
        device.is_cuda() ? on_device.detectors.at(0).make_for_gpu(timed_device) : nullptr;
    const TimedMeans timed_means{timed_device,
                                 gpu_detector ? *gpu_detector : *on_device.detectors.at(0).detector,
                                 scored.detection, on_device.landmarker.stage(on_device.boxes), limit};
    const TrackBenchmark benchmark = run_track_benchmark(request, cut_outs, study_means, timed_means, hooks);
    console.clear_progress();

    const ExitCode code = benchmark.interrupted          ? ExitCode::interrupted
                          : !cut_outs.unreadable.empty() ? ExitCode::inputs_skipped
                                                         : ExitCode::done;
    const std::string machine = machine_of(device);
    Json json{{"command", "bench track"},
              {"exit_code", static_cast<int>(code)},
              {"machine", machine},
              {"dataset", dataset.name},
              {"threads", limit.threads()}};
    json.update(report::track_benchmark_json(benchmark));
    std::string text = fmt::format("{} of {}, {}\n\n", counted(benchmark.faces, "face"),
                                   counted(benchmark.photos, "photograph"),
                                   counted(static_cast<std::size_t>(limit.threads()), "thread")) +
                       tables_of(benchmark);
    if (benchmark.interrupted) text += "interrupted: this is what was measured until then\n";
    if (request.keep) text += "clips: " + request.keep->string() + "\n";
    if (flags.out) {
        const auto page = report::write_track_benchmark(*flags.out, json, benchmark, machine);
        text += "report: " + page.string() + "\n";
        json["report"] = page.string();
    }
    console.print_summary(text);
    console.print_json(json);
    return code;
}

void add_benchmark_flags(CLI::App& app, BenchTrackFlags& flags) {
    constexpr const char* group = "Benchmark";
    const auto number = [&](const char* name, std::optional<int>& value, const char* help, int least,
                            int most) {
        app.add_option(name, value, help)->check(CLI::Range(least, most))->type_name("N")->group(group);
    };
    app.add_flag("--quick", flags.quick, "Fewer and smaller clips: less than a minute")->group(group);
    app.add_option("--part", flags.parts, "Measure these parts only")
        ->delimiter(',')
        ->check(CLI::IsMember(track_benchmark_parts()))
        ->type_name("NAME,NAME,...")
        ->group(group);
    number("--clips", flags.clips, "Clips of each kind (default: 4; quick: 1)", 1, 1000);
    number("--frames", flags.frames, "Frames of a clip (default: 150, timed: 100)", 2, 100'000);
    number("--faces", flags.faces, "Faces in a clip (default: 2)", 1, 16);
    number("--repeat", flags.repeat, "Timed runs behind one that warms up (default: 3, flow: 7)", 1, 1000);
    app.add_option("--seed", flags.seed, "Number of the first random paths (default: 1)")
        ->type_name("N")
        ->group(group);
    app.add_option("--size", flags.size, "Size of the timed clip (default: 1920x1080)")
        ->type_name("WxH")
        ->group(group);
    number("--encode", flags.crf,
           "Encode the clips of the study as H.264 at this rate factor, and follow faces in what is decoded",
           0, 51);
    app.add_option("--keep", flags.keep, "Folder for the study's clips with their truth, for other programs")
        ->type_name("DIR")
        ->group("Output");
    app.add_option("--landmarks", flags.landmarks, "Landmark model (default: helen)")
        ->type_name("LANDMARK_MODEL")
        ->group(group);
    app.add_option("--out,-o", flags.out, "Folder for report.html, bench.json, tables and plots")
        ->type_name("DIR")
        ->group("Output");
    add_overwrite_flag(app, flags.overwrite, "a benchmark");
}

}  // namespace

Command add_bench_track_command(CLI::App& bench) {
    CLI::App* app = bench.add_subcommand("track", "Measure how well and how fast faces are followed");
    auto flags = std::make_shared<BenchTrackFlags>();
    app->footer(bench_track_footer);
    app->add_option("DATASET", flags->dataset, "Photographs of faces with 68 landmarks (FORMAT:PATH)")
        ->type_name("");
    add_benchmark_flags(*app, *flags);
    add_dataset_flags(*app, flags->images);
    flags->tracking.add<TrackConfig>(*app, flags_without_effect());
    add_single_detector_flags(*app, flags->detector);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return bench_track(*flags, console); }};
}

}  // namespace fovea
