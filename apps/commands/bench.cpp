#include <algorithm>
#include <exception>

#include <CLI/CLI.hpp>

#include "apps/commands/commands.hpp"
#include "apps/options/bench_outcome.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/bench/benchmark.hpp"
#include "lib/bench/report/bench_report.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/engine_detector.hpp"
#include "lib/files/command_files.hpp"
#include "lib/files/model_file.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"

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

// Tek (2012), table 4.1.
const std::vector<Size>& tek_sizes() {
    static const std::vector<Size> sizes{{320, 240}, {640, 480}, {720, 540}, {1280, 720}, {1920, 1080}};
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
    bool rejections = false;
    std::optional<int> batch;
    std::optional<int> repeat;
    std::vector<std::string> variants;
    std::optional<std::string> out;
    bool overwrite = false;
    SingleDetectorFlags detector;
};

std::vector<Size> sizes_of(const BenchFlags& flags) {
    if (flags.size && flags.sizes)
        throw UsageError("--size and --sizes cannot be given together; use --sizes");
    if (flags.size) return {parse_size(*flags.size, "--size")};
    if (!flags.sizes) return flags.matrix ? matrix_sizes() : std::vector<Size>{};
    if (*flags.sizes == "tek") return tek_sizes();
    std::vector<Size> sizes;
    for (std::size_t at = 0; at <= flags.sizes->size();) {
        const std::size_t end = std::min(flags.sizes->find(',', at), flags.sizes->size());
        const Size size = parse_size(flags.sizes->substr(at, end - at), "--sizes");
        // One that is named twice counts once: it would be the same measurement.
        if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
        at = end + 1;
    }
    return sizes;
}

Repetitions repetitions_of(const BenchFlags& flags) {
    if (flags.repeat) return {*flags.repeat, *flags.repeat, 0};
    // One cell of a matrix may take a fraction of a millisecond, another one seconds.
    return flags.matrix ? Repetitions{20, 3, 2000} : Repetitions{20, 20, 0};
}

DetectionBenchmarkRequest request_of(const BenchFlags& flags, const RunConfig& config) {
    DetectionBenchmarkRequest request;
    request.sizes = sizes_of(flags);
    for (const Size size : request.sizes) check_benchmark_size(size);
    request.repetitions = repetitions_of(flags);
    if (flags.batch) request.host_batch = request.cuda_batch = *flags.batch;
    request.rejections = flags.rejections;
    request.without = resolve_variants(flags.variants);
    request.threads = config.threads;
    return request;
}

// Makes the report's folder, or refuses it before anything is measured.
std::optional<std::filesystem::path> output_folder(const BenchFlags& flags) {
    if (!flags.out) return std::nullopt;
    if (flags.out->empty() || *flags.out == "-") throw UsageError("--out must name a folder");
    const std::filesystem::path folder = *flags.out;
    for (const char* name : {"bench.json", "bench.csv", "bench.html", "bench.md"}) {
        refuse_if_input(folder / name);
    }
    refuse_to_replace(folder / "bench.json", flags.overwrite);
    report::make_benchmark_folder(folder);
    return folder;
}

ExitCode bench_detect(const BenchFlags& flags, Console& console) {
    RunConfig config = single_detector_config("fovea bench detect", flags.detector);
    set_images(flags.images, config.dataset);
    apply(flags.dataset, config.dataset);
    finish_config(config);
    DetectionBenchmarkRequest request = request_of(flags, config);
    // The CPU's boxes, with which those of every backend are compared.
    const std::vector<LoadedDetector> loaded = load_detectors(config, DetectionDevice::cpu());
    const Detector& detector = *loaded[0].detector;
    // A matrix has them where there are any.
    if (flags.matrix && engine_detector(detector) != nullptr) request.rejections = true;
    const bool against_opencv = flags.against.has_value() || !flags.rival.empty();
    std::optional<BenchmarkRival> rival;
    if (against_opencv) rival = choose_rival(detector, loaded[0].config.options, flags.rival);
    const std::vector<BenchmarkBackend> backends =
        make_benchmark_backends(detector, {config.device, config.threads, flags.matrix, against_opencv,
                                           rival ? model_name(rival->model) : std::string{}});
    check_variants(request, backends);
    const BenchmarkSubject subject{detector, loaded[0].model, loaded[0].config.options, rival};
    check_rejections(request, subject);
    const Dataset dataset = read_configured_dataset(config.dataset);
    const auto folder = output_folder(flags);
    const Photographs photographs = read_photographs(dataset);
    warn_unreadable(photographs.unreadable, dataset.samples.size());
    const InterruptGuard interrupt;
    const DetectionBenchmark benchmark = run_detection_benchmark(subject, photographs.images, backends,
                                                                 request, run_hooks(console, interrupt));
    console.clear_progress();

    const BenchResult outcome{
        flags.images, loaded[0], backends, photographs, benchmark, resolve_threads(config.threads), rival};
    Json json = bench_json(outcome);
    std::string text = bench_text(outcome);
    std::exception_ptr failure;
    if (folder) {
        try {
            report::write_benchmark_report(*folder, json, benchmark);
            text += "report: " + folder->string() + "\n";
            json["report"] = folder->string();
        } catch (...) {
            // The measurement took minutes, so it is shown all the same.
            failure = std::current_exception();
            json["exit_code"] = static_cast<int>(ExitCode::failed);
        }
    }
    console.print_summary(text);
    console.print_json(json);
    for (const std::string& sentence : benchmark.failures) print_error(sentence);
    if (failure) std::rethrow_exception(failure);
    return bench_exit_code(outcome);
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
    app.add_flag("--matrix", flags.matrix,
                 "Five sizes from 320x240 to 3840x2160 (or those of --sizes), one thread and all, the GPUs "
                 "of --device one and all, and --rejections")
        ->group(group);
    app.add_option("--batch", flags.batch,
                   "Images handed over at once, beside one by one (default: 32 on GPUs, none on the CPU)")
        ->check(CLI::Range(1, 4096))
        ->type_name("N")
        ->group(group);
    app.add_option("--repeat", flags.repeat,
                   "Repetitions (default: 20; with --matrix 3 to 20, as many as fit into two seconds)")
        ->check(CLI::Range(1, 1000000))
        ->type_name("N")
        ->group(group);
    app.add_flag("--rejections", flags.rejections, "Count what each stage (look-up) rejects, by scale")
        ->group("Advanced");
    app.add_option("--variant", flags.variants,
                   "Measure the GPU's engine without this optimisation as well; 'all' for each in turn")
        ->type_name("OPTIMISATION")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->group("Advanced");
    app.add_option("--out,-o", flags.out, "Folder for bench.html, bench.json, bench.csv and plots (SVG)")
        ->type_name("DIR")
        ->group("Output");
    add_overwrite_flag(app, flags.overwrite, "a benchmark");
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
