#include <algorithm>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "apps/commands/commands.hpp"
#include "apps/options/bench_options.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/bench/benchmark_images.hpp"
#include "lib/bench/report/records.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/job/landmark_stage.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

constexpr const char* bench_landmarks_footer = R"(Examples:
  fovea bench landmarks photos/
  fovea bench landmarks photos/ --device cuda --faces 1,64,4096
  fovea bench landmarks photo.jpg --landmarks mine.fvlm --device cpu --threads 1 --json

--model detects the faces on the CPU; this is not timed. The faces are repeated, each time moved by a
few pixels, until a batch is full. Times are medians per batch.

  total     images and boxes in host memory to landmarks in host memory
  resident  images, boxes and landmarks stay on the GPU

The CPU is measured with one thread and with all. The landmarks of all backends are compared; the exit
code is 5 if any differ.)";

const std::vector<std::size_t> batches_with_gpus{1, 64, 4096}, batches_on_cpu{1, 16, 256};

struct BenchLandmarksFlags {
    std::vector<std::string> images;
    DatasetFlags dataset;
    std::string landmarks = "default";
    std::vector<std::size_t> faces;
    int repeat = 20;
    BenchOutput output;
    SingleDetectorFlags detector;
};

struct Faces {
    Photographs photographs;
    std::vector<ImageView<const std::uint8_t>> views;
    std::vector<LandmarkTask> tasks;
};

Faces detect_faces(const LoadedDetector& loaded, const BoxTransform& edges, Photographs photographs) {
    Faces faces{std::move(photographs), {}, {}};
    for (const Photograph& photograph : faces.photographs.images)
        faces.views.push_back(photograph.image.view());
    const auto found = loaded.detector->detect(faces.views, loaded.config.options);
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (const Detection& detection : found[i]) {
            const Box& box = detection.box;
            faces.tasks.push_back(
                {static_cast<std::uint32_t>(i), rect_of_edges({box.x, box.y, box.w, box.h}, edges)});
        }
    }
    if (faces.tasks.empty()) {
        throw Error("no face was found in " + counted(faces.views.size(), "photograph") +
                    "; name one that shows a face");
    }
    return faces;
}

ExitCode bench_landmarks(const BenchLandmarksFlags& flags, Console& console) {
    RunConfig config = single_detector_config("fovea bench landmarks", flags.detector);
    set_images(flags.images, config.dataset);
    apply(flags.dataset, config.dataset);
    finish_config(config);
    LandmarkBenchmarkRequest request;
    request.repeat = flags.repeat;
    request.backends = bench_devices(open_detection_device(config.device), config.threads);
    request.batches = flags.faces;
    if (request.batches.empty()) {
        request.batches = request.backends.back().device.is_cuda() ? batches_with_gpus : batches_on_cpu;
    }
    LandmarkConfig landmarks;
    landmarks.model = flags.landmarks;
    const LoadedLandmarker landmarker = load_landmarker(landmarks, DetectionDevice::cpu());
    const std::filesystem::path& file = landmarker.model;
    const std::vector<LoadedDetector> loaded =
        load_detectors(config, DetectionDevice::cpu(), default_min_confidence);
    const BoxRule rule = rule_for_detector(landmarks, *landmarker.landmarker, detector_name(loaded[0].config),
                                           loaded[0].model);
    const Dataset dataset = read_configured_dataset(config.dataset);
    InputFiles inputs = flags.output.inputs;
    add_inputs(dataset, inputs);
    prepare_benchmark_folder(flags.output);
    const Faces faces = detect_faces(loaded[0], rule.edges, read_photographs(dataset));
    warn_unreadable(faces.photographs.unreadable, dataset.samples.size());
    const InterruptGuard interrupt;
    const std::vector<LandmarkMeasurement> measurements = benchmark_landmarks(
        landmarker.landmarker->model(), faces.views, faces.tasks, request, job_hooks(console, interrupt));
    const bool interrupted = measurements.size() < request.batches.size() * request.backends.size();
    const bool equal = std::all_of(measurements.begin(), measurements.end(),
                                   [](const LandmarkMeasurement& m) { return m.equal; });
    const ExitCode code = !equal                                  ? ExitCode::backends_differ
                          : interrupted                           ? ExitCode::interrupted
                          : !faces.photographs.unreadable.empty() ? ExitCode::inputs_skipped
                                                                  : ExitCode::done;
    report::BenchRecord record =
        report::landmark_record(measurements, machine_of(request.backends.back().device));
    record.interrupted = interrupted;
    std::string verdict;
    if (measurements.size() > 1)
        verdict = equal ? "all backends find the same landmarks\n" : "the backends' landmarks differ\n";
    return show_benchmark(
        console, flags.output,
        {"bench landmarks",
         code,
         {{"model", file.string()}, {"faces_detected", faces.tasks.size()}, {"same_landmarks", equal}},
         fmt::format("{}, {} in {}\n\n", file.filename().string(), counted(faces.tasks.size(), "face"),
                     counted(faces.views.size(), "photograph")),
         verdict,
         std::move(record)});
}

}  // namespace

Command add_bench_landmarks_command(CLI::App& bench) {
    CLI::App* app =
        bench.add_subcommand("landmarks", "Time landmarks of detected faces, by batch and backend");
    auto flags = std::make_shared<BenchLandmarksFlags>();
    app->footer(bench_landmarks_footer);
    app->add_option("IMAGES", flags->images,
                    "Photographs: image files, or a folder, list or dataset (FORMAT:PATH)")
        ->type_name("")
        ->required();
    app->add_option("--landmarks", flags->landmarks, "Landmark model (default: dlib's with 68 points)")
        ->type_name("LANDMARK_MODEL")
        ->group("Benchmark");
    app->add_option("--faces", flags->faces,
                    fmt::format("Faces at once (default: {}; with GPUs {})", fmt::join(batches_on_cpu, ","),
                                fmt::join(batches_with_gpus, ",")))
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N,N,...")
        ->group("Benchmark");
    app->add_option("--repeat", flags->repeat, fmt::format("Repetitions (default: {})", flags->repeat))
        ->check(CLI::Range(1, 1000000))
        ->type_name("N")
        ->group("Benchmark");
    add_bench_output_flags(*app, flags->output);
    add_dataset_flags(*app, flags->dataset);
    add_single_detector_flags(*app, flags->detector);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return bench_landmarks(*flags, console); }};
}

}  // namespace fovea
