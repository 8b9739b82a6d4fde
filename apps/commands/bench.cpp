#include <algorithm>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/bench_options.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/bench/benchmark.hpp"
#include "lib/bench/report/records.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/files/model_file.hpp"
#include "lib/json/field_json.hpp"

namespace fovea {
namespace {

constexpr const char* bench_footer = R"(Examples:
  fovea bench detect photo.jpg --model haarcascade_frontalface_alt --against opencv --size 1920x1080
  fovea bench detect photo.jpg --model mct --sizes tek
  fovea bench detect photos/ --limit 4 --model mct --matrix --against opencv --out bench/

Times are medians per image and exclude decoding and resizing. The CPU and OpenCV take turns, after a
warm-up, on the same pixels with the same number of threads. The boxes of all backends are compared;
the exit code is 5 if any differ. OpenCV has no MCT cascades: beside one, --against opencv measures
OpenCV with the model of --rival. YuNet as the model takes one thread an image, as the rival all of them.

  preprocessing       pyramid, and integral images or census codes
  scan                the cascade
  grouping            windows to boxes
  upload, download    copies to the GPU and back
  resident            images and boxes stay on the GPU
  from pinned memory  grey pixels in page-locked host memory to boxes in host memory (GPUs only)
  total               the same from ordinary host memory
  windows             all windows of the pyramid, also those that OpenCV's rules skip

Frames/s, Mpixel/s, Mwindows/s and speed-up follow from the median total. The speed-up is relative to
the CPU with the fewest threads, one image at a time. --sizes tek: the sizes of table 4.1 in Tek (2012).)";

const std::vector<Size>& matrix_sizes() {
    static const std::vector<Size> sizes{{320, 240}, {640, 480}, {1280, 720}, {1920, 1080}, {3840, 2160}};
    return sizes;
}

struct BenchFlags {
    std::vector<std::string> images;
    DatasetFlags dataset;
    std::optional<std::string> against;
    std::string rival;
    std::optional<std::string> size;
    std::optional<std::string> sizes;
    bool matrix = false;
    std::optional<int> batch;
    std::optional<int> repeat;
    BenchOutput output;
    SingleDetectorFlags detector;
};

std::vector<Size> sizes_of(const BenchFlags& flags) {
    if (flags.size && flags.sizes)
        throw UsageError("--size and --sizes cannot be given together; use --sizes");
    if (flags.size) return {parse_size(*flags.size, "--size")};
    if (!flags.sizes) return flags.matrix ? matrix_sizes() : std::vector<Size>{};
    return parse_sizes(*flags.sizes, "--sizes");
}

constexpr Repetitions repetitions{20, 20, 0};
// One cell of a matrix may take a fraction of a millisecond, another one seconds.
constexpr Repetitions repetitions_of_matrix{20, 3, 2000};

Repetitions repetitions_of(const BenchFlags& flags) {
    if (flags.repeat) return {*flags.repeat, *flags.repeat, 0};
    return flags.matrix ? repetitions_of_matrix : repetitions;
}

DetectionBenchmarkRequest request_of(const BenchFlags& flags, const RunConfig& config) {
    DetectionBenchmarkRequest request;
    request.sizes = sizes_of(flags);
    for (const Size size : request.sizes) check_benchmark_size(size);
    request.repetitions = repetitions_of(flags);
    if (flags.batch) request.host_batch = request.cuda_batch = *flags.batch;
    request.threads = config.threads;
    return request;
}

// One image at a time, at the one size, on the most threads or GPUs; null if not measured.
const Measurement* main_measurement(const DetectionBenchmark& benchmark, BackendInfo::Kind kind) {
    const Measurement* found = nullptr;
    if (benchmark.sizes.size() != 1) return found;
    for (const Measurement& measurement : benchmark.measurements) {
        if (measurement.backend.kind == kind && measurement.batch == 1) found = &measurement;
    }
    return found;
}

Json main_times_json(const Measurement& measurement, double pixels_per_image) {
    const std::vector<double>& times_ms = measurement.ms_per_image.total_ms;
    Json json = report::times_json(times_ms);
    const double mpixels = pixels_per_image / 1e6 * frames_per_second(measurement);
    json["megapixels_per_second"] = report::rounded(mpixels, 2);
    json["times_ms"] = Json::array();
    for (const double time : times_ms) json["times_ms"].push_back(report::rounded(time, 4));
    return json;
}

/// The request and what it came to.
struct Measured {
    const BenchFlags& flags;
    const LoadedDetector& subject;
    const std::optional<BenchmarkRival>& rival;
    const std::vector<BenchmarkBackend>& backends;
    const Photographs& photographs;
    const DetectionBenchmark& benchmark;
    // One image at a time, on the device that --device names, and beside it OpenCV; null if not measured.
    const Measurement* engine = main_measurement(benchmark, BackendInfo::Kind::cuda);
    const Measurement* opencv = main_measurement(benchmark, BackendInfo::Kind::opencv);

    double speedup_over_opencv() const {
        return median_time(opencv->ms_per_image.total_ms) / median_time(engine->ms_per_image.total_ms);
    }
};

/// "fovea" and "opencv" are there if one size was measured.
Json head_of(const Measured& of, int threads) {
    const DetectionBenchmark& benchmark = of.benchmark;
    const MeasuredSize& size = benchmark.sizes.at(0);
    const bool is_one = benchmark.sizes.size() == 1;
    Json json;
    if (of.flags.images.size() == 1) json["image"] = of.flags.images[0];
    if (is_one && size.size.width > 0) {
        json["width"] = size.size.width;
        json["height"] = size.size.height;
    }
    json["model"] = of.subject.model.string();
    if (of.rival) {
        json["rival"] = {{"model", of.rival->model.string()}, {"options", json_of(of.rival->options)}};
    }
    json["options"] = json_of(of.subject.config.options);
    json["device"] = of.backends.front().device_name();
    for (const BenchmarkBackend& backend : of.backends) {
        if (backend.info.kind == BackendInfo::Kind::cuda) json["device"] = backend.device_name();
    }
    json["threads"] = threads;
    if (is_one) json["boxes"] = size.boxes;
    if (of.engine != nullptr) {
        json["repeat"] = of.engine->ms_per_image.total_ms.size();
        const double pixels = size.pixels / static_cast<double>(size.images);
        json["fovea"] = main_times_json(*of.engine, pixels);
        if (of.opencv != nullptr) {
            json["opencv"] = main_times_json(*of.opencv, pixels);
            json["speedup"] = report::rounded(of.speedup_over_opencv(), 3);
        }
    }
    json["same_boxes"] = benchmark.differences.empty();
    json["differences"] = benchmark.differences;
    json["failures"] = benchmark.failures;
    json["images"] = Json::array();
    for (const Photograph& photograph : of.photographs.images) json["images"].push_back(photograph.name);
    json["unreadable_images"] = unreadable_json(of.photographs.unreadable);
    return json;
}

std::string headline_of(const Measured& of) {
    const DetectorOptions& options = of.subject.config.options;
    std::string text = detector_name(of.subject.config);
    if (options.scale_factor) text += fmt::format(", scale factor {}", *options.scale_factor);
    return text + ", " + counted(of.photographs.images.size(), "photograph") + "\n\n";
}

std::string verdict_of(const Measured& of) {
    std::string text;
    if (of.engine != nullptr && of.opencv != nullptr) {
        text += fmt::format("{} is {:.2f} times as fast as {}\n", backend_name(of.engine->backend),
                            of.speedup_over_opencv(), backend_name(of.opencv->backend));
    }
    std::size_t boxes = 0;
    for (const MeasuredSize& size : of.benchmark.sizes) boxes += size.boxes;
    const bool compared =
        std::any_of(of.backends.begin(), of.backends.end(), [&](const BenchmarkBackend& backend) {
            const BackendInfo::Kind kind = backend.info.kind;
            return kind == BackendInfo::Kind::cuda || (kind == BackendInfo::Kind::opencv && !of.rival);
        });
    if (!compared) {
        text += counted(boxes, "box", "boxes") + " found\n";
    } else if (of.benchmark.differences.empty()) {
        text += fmt::format("all backends find the same {}\n", counted(boxes, "box", "boxes"));
    }
    for (const std::string& difference : of.benchmark.differences)
        text += difference + "; see 'fovea verify'\n";
    return text;
}

ExitCode code_of(const Measured& of) {
    if (!of.benchmark.differences.empty()) return ExitCode::backends_differ;
    if (!of.benchmark.failures.empty()) return ExitCode::failed;
    if (of.benchmark.interrupted) return ExitCode::interrupted;
    return of.photographs.unreadable.empty() ? ExitCode::done : ExitCode::inputs_skipped;
}

ExitCode bench_detect(const BenchFlags& flags, Console& console) {
    RunConfig config = single_detector_config("fovea bench detect", flags.detector);
    set_images(flags.images, config.dataset);
    apply(flags.dataset, config.dataset);
    finish_config(config);
    const DetectionBenchmarkRequest request = request_of(flags, config);
    // The CPU's boxes, with which those of every backend are compared.
    const std::vector<LoadedDetector> loaded = load_detectors(config, DetectionDevice::cpu());
    const Detector& detector = *loaded[0].detector;
    const bool against_opencv = flags.against.has_value() || !flags.rival.empty();
    std::optional<BenchmarkRival> rival;
    if (against_opencv) rival = choose_rival(detector, loaded[0].config.options, flags.rival);
    const std::vector<BenchmarkBackend> backends =
        make_benchmark_backends(detector, {config.device, config.threads, flags.matrix, against_opencv,
                                           rival ? model_name(rival->model) : std::string{}});
    const BenchmarkSubject subject{detector, loaded[0].model, loaded[0].config.options, rival};
    const Dataset dataset = read_configured_dataset(config.dataset);
    InputFiles inputs = flags.output.inputs;
    add_inputs(dataset, inputs);
    prepare_benchmark_folder(flags.output);
    const Photographs photographs = read_photographs(dataset);
    warn_unreadable(photographs.unreadable, dataset.samples.size());
    const InterruptGuard interrupt;
    const DetectionBenchmark benchmark = run_detection_benchmark(subject, photographs.images, backends,
                                                                 request, job_hooks(console, interrupt));
    Measured measured{flags, loaded[0], rival, backends, photographs, benchmark};
    if (measured.engine == nullptr) measured.engine = main_measurement(benchmark, BackendInfo::Kind::cpu);
    const ExitCode code =
        show_benchmark(console, flags.output,
                       {"bench detect", code_of(measured), head_of(measured, resolve_threads(config.threads)),
                        headline_of(measured), verdict_of(measured), report::detection_record(benchmark)});
    for (const std::string& sentence : benchmark.failures) print_error(sentence);
    return code;
}

void add_benchmark_flags(CLI::App& app, BenchFlags& flags) {
    constexpr const char* group = "Benchmark";
    app.add_option("--against", flags.against, "Measure this detector as well, and compare its boxes")
        ->check(CLI::IsMember({"opencv"}))
        ->type_name("REFERENCE")
        ->group(group);
    app.add_option("--rival", flags.rival,
                   "Measure OpenCV with this cascade or YuNet instead of the model (default beside MCT "
                   "cascades and YuNet: lbpcascade_frontalface)")
        ->type_name("MODEL")
        ->group("Advanced");
    app.add_option("--size", flags.size, "Resize the photographs to this size first (default: as they are)")
        ->type_name("WxH")
        ->group(group);
    app.add_option("--sizes", flags.sizes, "Resize the photographs to each of these sizes")
        ->type_name("tek|WxH,WxH,...")
        ->group(group);
    app.add_flag(
           "--matrix", flags.matrix,
           "Five sizes from 320x240 to 3840x2160 (or those of --sizes), one thread and all, and the GPUs "
           "of --device one and all")
        ->group(group);
    app.add_option(
           "--batch", flags.batch,
           fmt::format("Images handed over at once, beside one by one (default: {} on GPUs, none on the CPU)",
                       DetectionBenchmarkRequest{}.cuda_batch))
        ->check(CLI::Range(1, 4096))
        ->type_name("N")
        ->group(group);
    app.add_option(
           "--repeat", flags.repeat,
           fmt::format("Repetitions (default: {}; with --matrix {} to {}, as many as fit into {:g} s)",
                       repetitions.most, repetitions_of_matrix.least, repetitions_of_matrix.most,
                       repetitions_of_matrix.budget_ms / 1000))
        ->check(CLI::Range(1, 1000000))
        ->type_name("N")
        ->group(group);
    add_bench_output_flags(app, flags.output);
}

}  // namespace

Command add_bench_detect_command(CLI::App& bench) {
    CLI::App* app = bench.add_subcommand("detect", "Time detection in photographs, by size and backend");
    auto flags = std::make_shared<BenchFlags>();
    app->footer(bench_footer);
    app->add_option("IMAGES", flags->images,
                    "Photographs: image files, or a folder, list or dataset (FORMAT:PATH)")
        ->type_name("")
        ->required();
    add_benchmark_flags(*app, *flags);
    add_dataset_flags(*app, flags->dataset);
    add_single_detector_flags(*app, flags->detector);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return bench_detect(*flags, console); }};
}

}  // namespace fovea
