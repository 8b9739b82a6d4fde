#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/bench_options.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/bench/report/records.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/folder.hpp"
#include "lib/job/landmark_stage.hpp"
#include "lib/json/json.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

constexpr const char* bench_track_footer = R"(Examples:
  fovea bench track video.mp4 --out bench/
  fovea bench track video.mp4 --part times --device cuda --json

Times how faces are followed through the first frames of a video, which are read into memory first.

  times   milliseconds of a frame, by K (a detector runs in every Kth frame), and the speed-up against
          detection in every frame; results are given at once
  flow    optical flow alone, beside OpenCV's calcOpticalFlowPyrLK with as many threads)";

struct BenchTrackFlags {
    std::string video;
    FieldFlags tracking;  ///< of TrackConfig
    SingleDetectorFlags detector;
    std::string landmarks = "helen";
    std::vector<std::string> parts;
    bool quick = false;
    std::optional<std::size_t> frames;
    std::optional<int> repeat;
    BenchOutput output;
};

/// Fields of TrackConfig that change nothing here.
const std::vector<std::string>& flags_without_effect() {
    static const std::vector<std::string> keys{"follow",     "redetect",  "look_back",
                                               "rejoin",     "separate",  "max_rejoin_distance",
                                               "recogniser", "smoothing", "explain"};
    return keys;
}

RunConfig effective_config(const BenchTrackFlags& flags) {
    RunConfig config = single_detector_config("fovea bench track", flags.detector);
    set_images({flags.video}, config.dataset);
    flags.tracking.apply(config.tracking, FlagPaths::escaped);
    finish_config(config);
    return config;
}

TrackBenchmarkRequest request_of(const BenchTrackFlags& flags) {
    TrackBenchmarkRequest request = flags.quick ? quick_track_benchmark() : full_track_benchmark();
    if (!flags.parts.empty()) request.parts = flags.parts;
    request.frames = flags.frames.value_or(request.frames);
    request.timing.repeat = flags.repeat.value_or(request.timing.repeat);
    request.flow.repeat = flags.repeat.value_or(request.flow.repeat);
    return request;
}

std::vector<GreyImage> read_frames(const std::string& video, std::size_t most) {
    if (!is_there(video)) throw UsageError("There is no video '" + video + "'; check the path.");
    try {
        std::vector<GreyImage> frames = read_first_frames(video, most);
        if (frames.size() < 2)
            throw Error("'" + video + "' has one frame alone before its size changes; name a longer video");
        return frames;
    } catch (const VideoError& error) {
        throw Error("the video '" + video + "' cannot be measured: " + error.what());
    }
}

ExitCode bench_track(const BenchTrackFlags& flags, Console& console) {
    const RunConfig config = effective_config(flags);
    TrackBenchmarkRequest request = request_of(flags);
    const DetectionDevice device = open_detection_device(config.device);
    if (device.gpus.size() > 1)
        throw UsageError("fovea bench track measures one GPU; name it, as --device cuda:0");
    InputFiles inputs = flags.output.inputs;
    inputs.add(flags.video);
    prepare_benchmark_folder(flags.output);
    LandmarkConfig landmarks;
    landmarks.model = flags.landmarks;
    const std::vector<LoadedDetector> detectors = load_detectors(config, device, default_min_confidence);
    const LoadedDetector& detector = detectors.at(0);
    if (device.is_cuda() && detector.detector->gpus().empty()) {
        throw UsageError("fovea bench track measures one device, and " + detector.model.string() +
                         " runs on the CPU; use --device cpu");
    }
    const LoadedLandmarker landmarker = load_landmarker(landmarks, device);
    const BoxRule boxes =
        rule_for_detector(landmarks, *landmarker.landmarker, detector_name(detector.config), detector.model);
    console.stage("reading frames");
    const std::vector<GreyImage> frames = read_frames(flags.video, request.frames);

    ThreadLimit limit(config.threads);
    const ScoredMeans scored = with_track_scores(config.tracking.tracker, detector.config.options);
    request.tracker = scored.tracker;
    const Device timed_device = device.is_cuda() ? Device::cuda(device.gpus.front()) : Device::cpu();
    const std::unique_ptr<Detector> gpu_detector =
        device.is_cuda() ? detector.detector->copy_for(timed_device) : nullptr;
    const TimedMeans means{timed_device, gpu_detector ? *gpu_detector : *detector.detector, scored.detection,
                           landmarker.stage(boxes), limit};
    const InterruptGuard interrupt;
    const TrackBenchmark benchmark =
        run_track_benchmark(request, frames, means, job_hooks(console, interrupt));

    const std::string machine = machine_of(device);
    return show_benchmark(
        console, flags.output,
        {"bench track",
         benchmark.interrupted ? ExitCode::interrupted : ExitCode::done,
         {{"machine", machine},
          {"video", flags.video},
          {"width", benchmark.size.width},
          {"height", benchmark.size.height},
          {"frames", benchmark.frames},
          {"threads", limit.threads()}},
         fmt::format("{} of {}x{}, {}\n\n", counted(benchmark.frames, "frame"), benchmark.size.width,
                     benchmark.size.height, counted(static_cast<std::size_t>(limit.threads()), "thread")),
         {},
         report::track_record(benchmark, machine)});
}

void add_benchmark_flags(CLI::App& app, BenchTrackFlags& flags) {
    const TrackBenchmarkRequest full = full_track_benchmark(), quick = quick_track_benchmark();
    constexpr const char* group = "Benchmark";
    app.add_flag("--quick", flags.quick, "Fewer frames and settings: less than a minute")->group(group);
    app.add_option("--part", flags.parts, "Measure these parts only")
        ->delimiter(',')
        ->check(CLI::IsMember(track_benchmark_parts()))
        ->type_name("NAME,NAME,...")
        ->group(group);
    app.add_option(
           "--frames", flags.frames,
           fmt::format("Frames of the video, at most (default: {}; quick: {})", full.frames, quick.frames))
        ->check(CLI::Range(2, 100'000))
        ->type_name("N")
        ->group(group);
    app.add_option(
           "--repeat", flags.repeat,
           fmt::format("Timed runs behind one that warms up (default: {}, flow: {}; quick: {}, flow: {})",
                       full.timing.repeat, full.flow.repeat, quick.timing.repeat, quick.flow.repeat))
        ->check(CLI::Range(1, 1000))
        ->type_name("N")
        ->group(group);
    app.add_option("--landmarks", flags.landmarks,
                   fmt::format("Landmark model (default: {})", flags.landmarks))
        ->type_name("LANDMARK_MODEL")
        ->group(group);
    add_bench_output_flags(app, flags.output);
}

}  // namespace

Command add_bench_track_command(CLI::App& bench) {
    CLI::App* app = bench.add_subcommand("track", "Time how faces are followed through a video");
    auto flags = std::make_shared<BenchTrackFlags>();
    app->footer(bench_track_footer);
    app->add_option("VIDEO", flags->video, "Video file that shows faces")->required()->type_name("");
    add_benchmark_flags(*app, *flags);
    flags->tracking.add<TrackConfig>(*app, flags_without_effect());
    add_single_detector_flags(*app, flags->detector);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return bench_track(*flags, console); }};
}

}  // namespace fovea
