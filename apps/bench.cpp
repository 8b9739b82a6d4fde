#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "apps/commands.hpp"
#include "apps/common_options.hpp"
#include "apps/interrupt.hpp"
#include "lib/core/text.hpp"
#include "lib/pipeline/benchmark.hpp"
#include "lib/pipeline/device_choice.hpp"
#include "lib/pipeline/time_summary.hpp"

namespace fovea {
namespace {

constexpr const char* footer = R"(Examples:
  fovea bench detect photo.jpg --model haarcascade_frontalface_alt --against opencv --scale-factor 1.15 --size 1920x1080
  fovea bench detect photo.jpg --model lbpcascade_frontalface --threads 1 --repeat 50 --json

Decoding is not timed. With --against both are measured in turns, after a warm-up, on the same pixels with the same
number of threads, and their boxes are compared.)";

struct BenchFlags {
    std::string image;
    std::optional<std::string> against;
    std::optional<std::string> size;
    int repeat = 20;
    SingleDetectorFlags detector;
};

// Times are known to a tenth of a microsecond at best.
double rounded(double value, double digits_after_point) {
    const double unit = std::pow(10.0, digits_after_point);
    return std::round(value * unit) / unit;
}

double megapixels_per_second(const TimeSummary& summary, double pixels) {
    return pixels / 1e3 / summary.median_ms;
}

Json times_json(const std::vector<double>& times_ms, double pixels) {
    const TimeSummary summary = summarise_times(times_ms);
    Json json{{"median_ms", rounded(summary.median_ms, 4)},
              {"min_ms", rounded(summary.min_ms, 4)},
              {"quartile_1_ms", rounded(summary.quartile_1_ms, 4)},
              {"quartile_3_ms", rounded(summary.quartile_3_ms, 4)},
              {"megapixels_per_second", rounded(megapixels_per_second(summary, pixels), 2)},
              {"times_ms", Json::array()}};
    for (const double time : times_ms) json["times_ms"].push_back(rounded(time, 4));
    return json;
}

std::vector<std::string> times_row(const std::string& name, const std::vector<double>& times_ms,
                                   double pixels) {
    const TimeSummary summary = summarise_times(times_ms);
    return {name, fmt::format("{:.2f}", summary.median_ms), fmt::format("{:.2f}", summary.min_ms),
            fmt::format("{:.2f} - {:.2f}", summary.quartile_1_ms, summary.quartile_3_ms),
            fmt::format("{:.1f}", megapixels_per_second(summary, pixels))};
}

ExitCode exit_code_of(const DetectionBenchmark& benchmark) {
    if (!benchmark.same_boxes) return ExitCode::backends_differ;
    return benchmark.interrupted ? ExitCode::interrupted : ExitCode::done;
}

void show(const BenchFlags& flags, const LoadedDetector& detector, const DetectionDevice& device,
          const DetectionBenchmark& benchmark, const Console& console) {
    const DetectorOptions& options = detector.config.options;
    const double pixels = static_cast<double>(benchmark.size.width) * benchmark.size.height;
    std::string text = fmt::format("{}, {}x{}, scale factor {}, {}, {}\n", detector_name(detector.config),
                                   benchmark.size.width, benchmark.size.height, options.scale_factor,
                                   counted(static_cast<std::size_t>(benchmark.threads), "thread"),
                                   counted(benchmark.fovea_ms.size(), "repetition"));
    std::vector<std::vector<std::string>> rows{{"", "median ms", "min ms", "quartiles ms", "Mpixel/s"}};
    rows.push_back(times_row("fovea", benchmark.fovea_ms, pixels));
    if (!benchmark.opencv_ms.empty()) rows.push_back(times_row("opencv", benchmark.opencv_ms, pixels));
    text += format_table(rows);
    Json json;
    json["command"] = "bench detect";
    json["exit_code"] = static_cast<int>(exit_code_of(benchmark));
    json["image"] = flags.image;
    json["width"] = benchmark.size.width;
    json["height"] = benchmark.size.height;
    json["model"] = detector.model.string();
    json["options"] = detector_options_to_json(options);
    json["device"] = device.name();
    json["threads"] = benchmark.threads;
    json["repeat"] = benchmark.fovea_ms.size();
    json["boxes"] = benchmark.boxes;
    json["fovea"] = times_json(benchmark.fovea_ms, pixels);
    if (!benchmark.opencv_ms.empty()) {
        const double ratio =
            summarise_times(benchmark.opencv_ms).median_ms / summarise_times(benchmark.fovea_ms).median_ms;
        text += fmt::format("fovea is {:.2f} times as fast as OpenCV; {}\n", ratio,
                            benchmark.same_boxes
                                ? "both find the same " + counted(benchmark.boxes, "box", "boxes")
                                : "but their boxes differ: see 'fovea verify'");
        json["opencv"] = times_json(benchmark.opencv_ms, pixels);
        json["speedup"] = rounded(ratio, 3);
        json["same_boxes"] = benchmark.same_boxes;
    }
    json["interrupted"] = benchmark.interrupted;
    console.print_summary(text);
    console.print_json(json);
}

ExitCode bench_detect(const BenchFlags& flags, Console& console) {
    RunConfig config = single_detector_config("fovea bench detect", flags.detector);
    finish_config(config);
    const DetectionDevice device = open_detection_device(config.device);
    const std::vector<LoadedDetector> detectors = load_detectors(config, device);
    DetectionBenchmarkRequest request;
    request.image = flags.image;
    if (flags.size) request.size = parse_size(*flags.size, "--size");
    request.repeat = flags.repeat;
    request.against_opencv = flags.against.has_value();
    request.threads = config.threads;
    const InterruptGuard interrupt;
    const DetectionBenchmark benchmark =
        run_detection_benchmark(detectors[0], request, run_hooks(console, interrupt));
    console.clear_progress();
    show(flags, detectors[0], device, benchmark, console);
    return exit_code_of(benchmark);
}

}  // namespace

Command add_bench_detect_command(CLI::App& bench) {
    CLI::App* app = bench.add_subcommand("detect", "Time detection in one photograph");
    auto flags = std::make_shared<BenchFlags>();
    app->footer(footer);
    app->add_option("IMAGE", flags->image, "The photograph")->type_name("")->required();
    app->add_option("--against", flags->against, "Measure this beside it")
        ->check(CLI::IsMember({"opencv"}))
        ->type_name("REFERENCE")
        ->group("Benchmark");
    app->add_option("--size", flags->size, "Resize the photograph first")
        ->type_name("WxH")
        ->group("Benchmark");
    app->add_option("--repeat", flags->repeat, "Repetitions")
        ->check(CLI::Range(1, 1000000))
        ->type_name("N")
        ->capture_default_str()
        ->group("Benchmark");
    add_single_detector_flags(*app, flags->detector);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return bench_detect(*flags, console); }};
}

}  // namespace fovea
