#include <cmath>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "apps/commands/commands.hpp"
#include "apps/options/bench_options.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/recogniser_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/bench/benchmark_images.hpp"
#include "lib/bench/report/records.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/run/recognition/face_finder.hpp"

namespace fovea {
namespace {

constexpr const char* bench_recognition_footer = R"(Examples:
  fovea bench recognition photos/
  fovea bench recognition photos/ --device cuda:0 --queries 1,1195 --out bench/
  fovea bench recognition photos/ --recogniser dlib-resnet-mirror --batch 1,64 --gallery 1000 --json

Repeats tables 4.2 (features) and 4.3 (1-NN searches by chi-square) of Tek (2012) on this machine, or
measures the features and searches of --recogniser. The program finds the faces in the photographs on
the CPU, which is not timed, and normalises them as that recogniser does, or lbp-csu. It repeats them,
each time moved, turned and resized a little, so that all are different. Times are medians. The CPU is
measured with one thread and with all. Features and neighbours of all backends are compared; the exit
code is 5 if any differ, beyond the tolerance of a network: 1/32767 of a component of 1.)";

const std::vector<std::size_t> batches_with_gpu{1, 64, 4096}, batches_without_gpu{1, 64};
const std::vector<std::size_t> tek_galleries{1000, 5000, 10000, 20000}, own_galleries{1000};

struct BenchRecognitionFlags {
    std::vector<std::string> images;
    DatasetFlags dataset;
    FaceFinderFlags finder;
    std::optional<std::string> device;
    std::optional<int> threads;
    std::optional<std::string> recogniser;
    std::vector<std::size_t> faces;
    std::vector<std::size_t> galleries;
    std::vector<std::size_t> queries{1};
    int repeat = 20;
    double budget_s = 2;
    BenchOutput output;
};

// Eyes moved by up to a tenth of their distance each: as many different faces as are wanted.
CropEyes moved(const Eyes& eyes, std::size_t turn) {
    const double reach = std::hypot(eyes.right.x - eyes.left.x, eyes.right.y - eyes.left.y) / 10;
    const auto offset = [&](std::size_t step, std::size_t of) {
        return reach * (2.0 * static_cast<double>(turn * step % of) / static_cast<double>(of) - 1);
    };
    return {{eyes.left.x + offset(37, 101), eyes.left.y + offset(61, 103)},
            {eyes.right.x + offset(53, 107), eyes.right.y + offset(71, 109)}};
}

std::vector<std::uint8_t> make_faces(const Dataset& dataset, const FaceFinderConfig& config,
                                     const RecogniserConfig& normalises, std::size_t count,
                                     Photographs photographs) {
    const Recogniser recogniser(normalises, DetectionDevice::cpu());
    FaceFinderConfig all = config;
    all.choice = FaceChoice::all;
    const LoadedFaceFinder finder(all, DetectionDevice::cpu());
    std::vector<ImageView<const std::uint8_t>> views;
    for (const Photograph& photograph : photographs.images) views.push_back(photograph.image.view());
    std::vector<std::pair<std::uint32_t, Eyes>> found;
    enrol_faces(dataset, finder.finder(), recogniser, {}, [&](EnrolledFace&& face) {
        const std::string& name = dataset.samples[face.sample].image;
        for (std::uint32_t i = 0; i < photographs.images.size(); ++i) {
            if (photographs.images[i].name == name) found.emplace_back(i, face.eyes);
        }
    });
    if (found.empty()) {
        throw Error("no face was found in " + counted(views.size(), "photograph") +
                    "; name one that shows a face");
    }
    std::vector<std::uint8_t> pixels;
    std::vector<CropTask> tasks;
    for (std::size_t i = 0; i < count; ++i) {
        const auto& [image, eyes] = found[i % found.size()];
        tasks.push_back({image, crop_transform(moved(eyes, i / found.size()), recogniser.config().geometry)});
        if (tasks.size() < 1024 && i + 1 < count) continue;
        for (const GreyImage& face : recogniser.normalised(views, tasks)) {
            pixels.insert(pixels.end(), face.pixels.begin(), face.pixels.end());
        }
        tasks.clear();
    }
    return pixels;
}

ExitCode bench_recognition(const BenchRecognitionFlags& flags, Console& console) {
    DatasetConfig images;
    set_images(flags.images, images);
    apply(flags.dataset, images);
    images.path = expand_environment(images.path);
    for (std::string& file : images.files) file = expand_environment(file);
    FaceFinderConfig finder;
    apply(flags.finder, finder);
    RecognitionBenchmarkRequest request;
    request.repeat = flags.repeat;
    request.budget_ms = flags.budget_s * 1000;
    const DetectionDevice device = open_detection_device(flags.device.value_or("auto"));
    if (device.gpus.size() > 1) throw UsageError("bench recognition measures one GPU, e.g. --device cuda:0");
    request.backends = bench_devices(device, flags.threads.value_or(0));
    request.faces = flags.faces;
    if (request.faces.empty()) {
        request.faces = request.backends.back().device.is_cuda() ? batches_with_gpu : batches_without_gpu;
    }
    if (flags.recogniser) request.recogniser = load_recogniser(*flags.recogniser);
    request.galleries = flags.galleries;
    if (request.galleries.empty()) request.galleries = request.recogniser ? own_galleries : tek_galleries;
    request.queries = flags.queries;
    const Dataset dataset = read_configured_dataset(images);
    InputFiles inputs = flags.output.inputs;
    add_inputs(dataset, inputs);
    prepare_benchmark_folder(flags.output);
    console.stage("finding faces");
    Photographs photographs = read_photographs(dataset);
    const std::vector<UnreadableImage> unreadable = photographs.unreadable;
    warn_unreadable(unreadable, dataset.samples.size());
    const std::vector<std::uint8_t> faces =
        make_faces(dataset, finder, request.recogniser ? *request.recogniser : load_recogniser("lbp-csu"),
                   faces_needed(request), std::move(photographs));
    const InterruptGuard interrupt;
    const RecognitionBenchmark benchmark =
        benchmark_recognition(faces, request, job_hooks(console, interrupt));
    const ExitCode code = !benchmark.equal()      ? ExitCode::backends_differ
                          : benchmark.interrupted ? ExitCode::interrupted
                          : !unreadable.empty()   ? ExitCode::inputs_skipped
                                                  : ExitCode::done;
    const std::string machine = machine_of(request.backends.back().device);
    std::string verdict;
    if (request.backends.size() > 1) {
        verdict = benchmark.equal() ? "all backends give the same features and neighbours\n"
                                    : "the backends' features or neighbours differ\n";
    }
    return show_benchmark(console, flags.output,
                          {"bench recognition",
                           code,
                           {{"machine", machine}, {"equal", benchmark.equal()}},
                           {},
                           verdict,
                           report::recognition_record(benchmark, machine)});
}

}  // namespace

Command add_bench_recognition_command(CLI::App& bench) {
    CLI::App* app = bench.add_subcommand(
        "recognition", "Time features and nearest-neighbour searches, by recogniser, gallery and backend");
    auto flags = std::make_shared<BenchRecognitionFlags>();
    app->footer(bench_recognition_footer);
    app->add_option("IMAGES", flags->images,
                    "Photographs: image files, or a folder, list or dataset (FORMAT:PATH)")
        ->type_name("")
        ->required();
    app->add_option("--recogniser", flags->recogniser, "Measure this recogniser (default: the rows of Tek)")
        ->type_name("RECOGNISER")
        ->group("Benchmark");
    const auto add_numbers = [&](const char* name, std::vector<std::size_t>& numbers,
                                 const std::string& help) {
        app->add_option(name, numbers, help)
            ->delimiter(',')
            ->check(CLI::Range(1, 1 << 20))
            ->type_name("N,N,...")
            ->group("Benchmark");
    };
    add_numbers("--batch", flags->faces,
                fmt::format("Faces described at once (default: {}; with a GPU {})",
                            fmt::join(batches_without_gpu, ","), fmt::join(batches_with_gpu, ",")));
    add_numbers("--gallery", flags->galleries,
                fmt::format("Sizes of the gallery (default: {}; of --recogniser {})",
                            fmt::join(tek_galleries, ","), fmt::join(own_galleries, ",")));
    add_numbers("--queries", flags->queries,
                fmt::format("Queries at once (default: {})", fmt::join(flags->queries, ",")));
    app->add_option("--repeat", flags->repeat,
                    fmt::format("Repetitions, at most (default: {})", flags->repeat))
        ->check(CLI::Range(1, 1000000))
        ->type_name("N")
        ->group("Benchmark");
    app->add_option(
           "--budget", flags->budget_s,
           fmt::format("Seconds for the repetitions of one measurement (default: {})", flags->budget_s))
        ->check(CLI::Range(0.0, 1e6))
        ->type_name("S")
        ->group("Benchmark");
    add_bench_output_flags(*app, flags->output);
    add_dataset_flags(*app, flags->dataset);
    add_face_finder_flags(*app, flags->finder);
    add_device_flag(*app, flags->device);
    add_threads_flag(*app, flags->threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return bench_recognition(*flags, console); }};
}

}  // namespace fovea
