#include <chrono>

#include <opencv2/imgproc.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands.hpp"
#include "apps/common_options.hpp"
#include "apps/time_summary.hpp"
#include "lib/detect/opencv_reference.hpp"
#include "lib/image/decode.hpp"
#include "lib/pipeline/detection_job.hpp"
#include "lib/pipeline/device_choice.hpp"
#include "lib/pipeline/threads.hpp"

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
    std::optional<std::string> device;
    std::optional<int> threads;
    DetectorFlags detector;
};

GreyImage resized(const GreyImage& image, Size size) {
    GreyImage result{size.width, size.height,
                     std::vector<std::uint8_t>(static_cast<std::size_t>(size.width) *
                                               static_cast<std::size_t>(size.height))};
    const cv::Mat source(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data()));
    cv::Mat target(size.height, size.width, CV_8UC1, result.pixels.data());
    const bool shrinks = size.width <= image.width && size.height <= image.height;
    cv::resize(source, target, target.size(), 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
    return result;
}

template <class Work>
double time_ms(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

Json times_json(const std::vector<double>& times_ms) {
    const TimeSummary summary = summarise_times(times_ms);
    return {{"median_ms", summary.median_ms},
            {"min_ms", summary.min_ms},
            {"quartile_1_ms", summary.quartile_1_ms},
            {"quartile_3_ms", summary.quartile_3_ms},
            {"times_ms", times_ms}};
}

std::vector<std::string> times_row(const std::string& name, const std::vector<double>& times_ms,
                                   double pixels) {
    const TimeSummary summary = summarise_times(times_ms);
    return {name, fmt::format("{:.2f}", summary.median_ms), fmt::format("{:.2f}", summary.min_ms),
            fmt::format("{:.2f} - {:.2f}", summary.quartile_1_ms, summary.quartile_3_ms),
            fmt::format("{:.1f}", pixels / 1e3 / summary.median_ms)};
}

RunConfig effective_config(const BenchFlags& flags) {
    RunConfig config;
    if (flags.device) config.device = *flags.device;
    if (flags.threads) config.threads = *flags.threads;
    apply(flags.detector, config);
    if (config.detectors.size() > 1) throw UsageError("fovea bench detect takes one --model");
    finish_config(config);
    return config;
}

ExitCode bench_detect(const BenchFlags& flags, Console& console) {
    const RunConfig config = effective_config(flags);
    const Device device = open_detection_device(config.device);
    const std::vector<LoadedDetector> detectors = load_detectors(config, device);
    const Detector& detector = *detectors[0].detector;
    const DetectorOptions& options = config.detectors[0].options;
    GreyImage image;
    try {
        image = read_grey_image(flags.image);
    } catch (const ImageError& error) {
        throw Error("cannot read the image " + flags.image + ": " + error.what());
    }
    if (flags.size) {
        const Size size = parse_size(*flags.size, "--size");
        if (size.width == 0 || size.height == 0) throw UsageError("--size must be at least 1x1");
        image = resized(image, size);
    }
    const ImageView<const std::uint8_t> view = image.view();
    std::optional<OpenCvReference> opencv;
    if (flags.against) opencv.emplace(detectors[0].model);

    ThreadLimit limit(config.threads);
    std::vector<double> fovea_ms;
    std::vector<double> opencv_ms;
    std::vector<Detection> found;
    const auto run_fovea = [&] { found = detector.detect({&view, 1}, options).at(0); };
    const auto run_opencv = [&] { opencv->detect(view, options); };
    limit.run([&] {
        // The first runs allocate and bring tables into the caches.
        for (int i = 0; i < 2; ++i) {
            run_fovea();
            if (opencv) run_opencv();
        }
        for (int i = 0; i < flags.repeat; ++i) {
            // In turns, and each first as often as the other, so that a drifting clock rate meets both.
            if (opencv && i % 2 == 1) opencv_ms.push_back(time_ms(run_opencv));
            fovea_ms.push_back(time_ms(run_fovea));
            if (opencv && i % 2 == 0) opencv_ms.push_back(time_ms(run_opencv));
        }
    });
    bool same_boxes = true;
    if (opencv) {
        same_boxes =
            compare_detections(found, opencv->grouped(view, options), ComparedValues::box_and_score).empty();
    }

    const double pixels = static_cast<double>(image.pixels.size());
    std::string text = fmt::format(
        "{}, {}x{}, scale factor {}, {}, {}\n", detector_name(config.detectors[0]), image.width, image.height,
        options.scale_factor, count_of(static_cast<std::size_t>(limit.threads()), "thread", "threads"),
        count_of(static_cast<std::size_t>(flags.repeat), "repetition", "repetitions"));
    std::vector<std::vector<std::string>> rows{{"", "median ms", "min ms", "quartiles ms", "Mpixel/s"}};
    rows.push_back(times_row("fovea", fovea_ms, pixels));
    if (opencv) rows.push_back(times_row("opencv", opencv_ms, pixels));
    text += format_table(rows);
    Json json;
    json["command"] = "bench detect";
    json["image"] = flags.image;
    json["width"] = image.width;
    json["height"] = image.height;
    json["model"] = detectors[0].model.string();
    json["options"] = detector_options_to_json(options);
    json["device"] = device.name();
    json["threads"] = limit.threads();
    json["repeat"] = flags.repeat;
    json["boxes"] = found.size();
    json["fovea"] = times_json(fovea_ms);
    if (opencv) {
        const double ratio = summarise_times(opencv_ms).median_ms / summarise_times(fovea_ms).median_ms;
        text += fmt::format("fovea is {:.2f} times as fast as OpenCV; {}\n", ratio,
                            same_boxes ? "both find the same " + count_of(found.size(), "box", "boxes")
                                       : "but their boxes differ: see 'fovea verify'");
        json["opencv"] = times_json(opencv_ms);
        json["speedup"] = ratio;
        json["same_boxes"] = same_boxes;
    }
    console.print_summary(text);
    console.print_json(json);
    return same_boxes ? ExitCode::done : ExitCode::backends_differ;
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
    add_detector_flags(*app, flags->detector, false);
    add_device_flag(*app, flags->device);
    add_threads_flag(*app, flags->threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return bench_detect(*flags, console); }};
}

}  // namespace fovea
