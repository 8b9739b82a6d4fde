#include <iostream>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands.hpp"
#include "apps/common_options.hpp"
#include "apps/interrupt.hpp"
#include "apps/summary.hpp"
#include "lib/core/text.hpp"
#include "lib/pipeline/detection_job.hpp"
#include "lib/pipeline/device_choice.hpp"

namespace fovea {
namespace {

constexpr const char* footer = R"(Examples:
  fovea detect photos/ --out results.jsonl
  fovea detect photos/ --model haarcascade_frontalface_alt.xml --scale-factor 1.1 --min-neighbors 3 --out results.jsonl
  fovea detect a.jpg b.jpg --model lbpcascade_frontalface_improved | jq .detections
  find archive -name '*.tif' | fovea detect - --model haarcascade_profileface --min-size 60 --out profiles.jsonl
  fovea detect mit-cmu:DIR --model haarcascade_frontalface_default --raw --out windows.jsonl
  fovea detect photos/ --landmarks default --out faces.jsonl
  fovea detect photos/ --landmarks default --crops faces/ --out faces.jsonl
  fovea detect pts:DIR --boxes truth --landmarks shape_predictor_68_face_landmarks.dat --out results.jsonl

Writes one JSON line per image, in the images' order, and beside results.jsonl the manifest run.json (beside
NAME.jsonl: NAME.run.json). Without --model the program's own detector (mct) is used, and detections of a confidence
of at least 0.5 are kept; --min-score 0 keeps all. A model's name is looked up among those that ship with the program
and the cascades of Debian's opencv-data. With --boxes truth no detector runs: every annotated face of the dataset gets
its landmarks in its own box.)";

struct DetectFlags {
    std::vector<std::string> images;
    ConfigFlags common;
    DatasetFlags dataset;
    DetectorFlags detector;
    LandmarkingFlags landmarks;
    std::optional<std::string> crops;
};

RunConfig effective_config(const DetectFlags& flags) {
    RunConfig config = start_config(flags.common);
    set_images(flags.images, config.dataset);
    apply(flags.dataset, config.dataset);
    apply(flags.detector, config);
    apply(flags.landmarks, flags.detector, config);
    // In a configuration of `fovea run` the output is a folder; here it is a results file.
    if (!flags.common.out) config.output = "-";
    if (config.detectors.size() > 1) {
        throw UsageError("fovea detect runs one detector, but " + std::to_string(config.detectors.size()) +
                         " are given; use 'fovea run' to run several on the same images");
    }
    if (config.landmarks.wanted() && config.landmarks.boxes.size() > 1) {
        throw UsageError(
            "fovea detect writes one results file, but landmarks are wanted in boxes of detector and truth; "
            "choose "
            "with --boxes, or use 'fovea run' for both");
    }
    finish_config(config);
    return config;
}

// Where most of the work was done.
std::string device_of(const DetectionJobOutcome& outcome) {
    return outcome.detectors.empty() ? outcome.landmarks->device : outcome.detectors[0].device;
}

void show(const RunConfig& config, const DetectionJobOutcome& outcome, const DetectionFiles& files,
          ExitCode code, const Console& console) {
    const DetectImagesOutcome& images = outcome.images;
    const std::size_t detections = images.tasks.at(0).detections;
    std::string text = fmt::format("{}, {} in {}", counted(images.images, "image"),
                                   counted(detections, runs_detectors(config) ? "detection" : "face"),
                                   format_duration(images.total_seconds));
    if (!images.unreadable.empty()) text += fmt::format(", {} unreadable", images.unreadable.size());
    if (images.interrupted) text += ", interrupted";
    text += "\n";
    if (config.output != "-") text += "results: " + config.output + "\n";
    const std::size_t crops = images.tasks.at(0).crops;
    if (!files.crops.empty()) text += counted(crops, "crop") + ": " + files.crops.string() + "\n";
    console.print_summary(text);

    Json json;
    json["command"] = "detect";
    json["exit_code"] = static_cast<int>(code);
    json["results"] = config.output;
    json["manifest"] = files.manifest.string();
    json["device"] = device_of(outcome);
    add_counts_json(json, images);
    json["detections"] = detections;
    if (!files.crops.empty()) json["crops"] = crops;
    console.print_json(json);
}

ExitCode detect(const DetectFlags& flags, Console& console) {
    const RunConfig config = effective_config(flags);
    if (flags.common.print_config) {
        std::cout << printed_config(config);
        return ExitCode::done;
    }
    const bool to_stdout = config.output == "-";
    if (to_stdout && console.json()) {
        throw UsageError("--json and the results cannot both go to standard output; name a file with --out");
    }
    if (to_stdout) console.reserve_stdout();
    if (flags.crops && flags.crops->empty()) throw UsageError("--crops names no folder");
    if (flags.crops && !config.landmarks.wanted()) {
        throw UsageError(
            "--crops aligns faces by their landmarks; name a model with --landmarks, e.g. --landmarks "
            "default");
    }
    const DetectionDevice device = open_detection_device(config.device);
    std::vector<LoadedDetector> detectors;
    if (runs_detectors(config)) detectors = load_detectors(config, device, least_confidence);
    std::optional<LoadedLandmarker> landmarker;
    if (config.landmarks.wanted()) landmarker = load_landmarker(config.landmarks, device);

    const InterruptGuard interrupt;
    const RunHooks hooks = run_hooks(console, interrupt);
    hooks.stage("reading the list of images");
    const Dataset dataset = read_configured_dataset(config.dataset);
    const DetectionFiles files{{config.output}, manifest_path(config.output), flags.crops.value_or("")};
    const DetectionJobOutcome outcome = run_detection_job("detect", config, dataset, detectors, device, files,
                                                          hooks, landmarker ? &*landmarker : nullptr);
    console.clear_progress();

    warn_unreadable(outcome.images.unreadable, outcome.images.images);
    const ExitCode code = outcome.images.interrupted           ? ExitCode::interrupted
                          : !outcome.images.unreadable.empty() ? ExitCode::inputs_skipped
                                                               : ExitCode::done;
    show(config, outcome, files, code, console);
    return code;
}

}  // namespace

Command add_detect_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("detect", "Detect faces in images and write JSON Lines");
    auto flags = std::make_shared<DetectFlags>();
    app->footer(footer);
    app->add_option("IMAGES", flags->images,
                    "A folder, list or dataset (FORMAT:PATH), '-' for a list on standard input, or several "
                    "image files")
        ->type_name("");
    app->add_option("--out,-o", flags->common.out, "Results file; '-' is standard output (default)")
        ->type_name("FILE")
        ->group("Output");
    app->add_option(
           "--crops", flags->crops,
           "Folder for the faces, aligned by their landmarks: eyes at (30,45) and (100,45) of 130x150 pixels")
        ->type_name("DIR")
        ->group("Output");
    add_config_flags(*app, flags->common);
    add_dataset_flags(*app, flags->dataset);
    add_detector_flags(*app, flags->detector, true);
    add_landmarking_flags(*app, flags->landmarks, false);
    add_device_flag(*app, flags->common.device);
    add_threads_flag(*app, flags->common.threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return detect(*flags, console); }};
}

}  // namespace fovea
