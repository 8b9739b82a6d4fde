#include "apps/options/common_options.hpp"

#include <charconv>
#include <limits>

#include <CLI/CLI.hpp>

#include "lib/core/error.hpp"
#include "lib/evaluate/detection/detection_json.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

constexpr const char* output_group = "Output";
constexpr const char* config_group = "Configuration";
constexpr const char* detector_group = "Detector";
constexpr const char* landmark_group = "Landmarks";
constexpr const char* dataset_group = "Images";
constexpr const char* evaluation_group = "Evaluation";

}  // namespace

std::shared_ptr<OutputFlags> add_output_flags(CLI::App& app) {
    auto flags = std::make_shared<OutputFlags>();
    app.add_flag("--json", flags->json, "Print the outcome as one JSON object on standard output")
        ->group(output_group);
    app.add_flag("--quiet,-q", flags->quiet, "No progress, no summary, errors only")->group(output_group);
    app.add_option("--log-level", flags->log_level, "Least important message shown on standard error")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
        ->type_name("LEVEL")
        ->group(output_group)
        ->capture_default_str();
    return flags;
}

void add_config_flags(CLI::App& app, ConfigFlags& flags) {
    app.add_option("--config", flags.config, "JSON configuration; flags override it ('-' is standard input)")
        ->type_name("FILE")
        ->group(config_group);
    app.add_flag("--print-config", flags.print_config, "Print the effective configuration as JSON and stop")
        ->group(config_group);
}

void add_device_flag(CLI::App& app, std::optional<std::string>& device) {
    app.add_option("--device", device,
                   "Where to compute; auto (default): the first GPU, else the CPU; cuda:all or cuda:N,M: "
                   "several GPUs")
        ->type_name("auto|cpu|cuda|cuda:all|cuda:N,M")
        ->group(config_group);
}

void add_threads_flag(CLI::App& app, std::optional<int>& threads) {
    app.add_option("--threads,-j", threads, "Threads; 0 = all cores (default)")
        ->check(CLI::Range(0, 1024))
        ->type_name("N")
        ->group(config_group);
}

void add_dataset_flags(CLI::App& app, DatasetFlags& flags) {
    app.add_option("--pattern", flags.pattern, "Only images whose path or name matches, e.g. '*.jpg'")
        ->type_name("GLOB")
        ->group(dataset_group);
    app.add_option("--limit", flags.limit, "Only the first N images; 0 = all")
        ->check(CLI::Range(0, std::numeric_limits<int>::max()))
        ->type_name("N")
        ->group(dataset_group);
    app.add_option("--root", flags.root,
                   "Folder that the paths of a list are relative to (default: the list's own)")
        ->type_name("DIR")
        ->group(dataset_group);
}

void add_detector_flags(CLI::App& app, DetectorFlags& flags, bool with_score_and_raw) {
    app.add_option(
           "--model,-m", flags.models,
           "Detector: a file (XML, or JSON of an MCT cascade), or the name of one that ships (mct) or of "
           "opencv-data")
        ->type_name("MODEL")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->group(detector_group);
    app.add_option("--scale-factor", flags.scale_factor,
                   "Ratio of neighbouring window sizes (default 1.1; MCT 1.15)")
        ->type_name("F")
        ->group(detector_group);
    app.add_option("--min-neighbors", flags.min_neighbors,
                   "Keep groups of more than so many windows; 0 = do not group (default 3; MCT 1)")
        ->type_name("N")
        ->group(detector_group);
    app.add_option("--min-size", flags.min_size, "Smallest window")->type_name("WxH")->group(detector_group);
    app.add_option("--max-size", flags.max_size, "Largest window; 0 = the image")
        ->type_name("WxH")
        ->group(detector_group);
    app.add_option("--start-scale", flags.start_scale,
                   "Scale of the smallest window, MCT only; below 1 finds faces smaller than it (default 1)")
        ->type_name("F")
        ->group(detector_group);
    app.add_option("--step", flags.step, "Pixels between windows, MCT only (default 1)")
        ->type_name("N")
        ->group(detector_group);
    app.add_option("--score", flags.score,
                   "Score of a detection; auto (default): confidence with MCT, else neighbors")
        ->check(CLI::IsMember({"auto", "neighbors", "stage_sum", "confidence"}))
        ->type_name("SCORE")
        ->group(detector_group);
    if (!with_score_and_raw) return;
    app.add_option(
           "--min-score", flags.min_score,
           "Drop detections of a lower score (default: none; with 'fovea detect' 0.5 of a confidence)")
        ->type_name("S")
        ->group(detector_group);
    app.add_flag("--raw", flags.raw, "Every window that passed, ungrouped, with its last stage sum")
        ->group(detector_group);
}

void add_landmarking_flags(CLI::App& app, LandmarkingFlags& flags, bool both_boxes) {
    app.add_option("--landmarks", flags.model,
                   "Find landmarks with this model: a file, or a name; default: the 68 points of Debian's "
                   "libdlib-data")
        ->type_name("LANDMARK_MODEL")
        ->group(landmark_group);
    CLI::Option* boxes =
        app.add_option("--boxes", flags.boxes,
                       both_boxes
                           ? "Boxes to find landmarks in: of the detectors (default), of the annotation, or "
                             "both, comma separated"
                           : "Boxes to find landmarks in: of the detector (default) or of the annotation")
            ->check(CLI::IsMember({"detector", "truth"}))
            ->type_name("BOXES")
            ->group(landmark_group);
    boxes->expected(1);
    if (both_boxes) boxes->delimiter(',')->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option(
           "--box-convention", flags.convention,
           "Where faces lie in the boxes: auto (default) by detector or dataset; none: boxes as they are; "
           "or a name of models/landmarks/boxes.json")
        ->type_name("NAME")
        ->group(landmark_group);
}

void add_single_detector_flags(CLI::App& app, SingleDetectorFlags& flags) {
    add_detector_flags(app, flags.detector, false);
    add_device_flag(app, flags.device);
    add_threads_flag(app, flags.threads);
}

void add_evaluation_flags(CLI::App& app, EvaluationFlags& flags) {
    std::vector<std::string> protocol_names{"auto"};
    for (const DetectionProtocol protocol : all_protocols) protocol_names.push_back(protocol_name(protocol));
    app.add_option("--protocol", flags.protocol,
                   "Rules of the evaluation (default auto: the dataset's own, else iou)")
        ->check(CLI::IsMember(protocol_names))
        ->type_name("PROTOCOL")
        ->group(evaluation_group);
    app.add_option(
           "--mode", flags.mode,
           "strict: as the official program computes; corrected: without its quirks; port: as WIDER FACE's "
           "Python port (default strict)")
        ->check(CLI::IsMember({"strict", "corrected", "port"}))
        ->type_name("MODE")
        ->group(evaluation_group);
    app.add_option("--iou-threshold", flags.iou_threshold, "Least overlap of a hit, for iou (default 0.5)")
        ->type_name("T")
        ->group(evaluation_group);
    app.add_option("--oks-sigmas", flags.oks_sigmas,
                   "For oks: sigmas of the landmarks, or one for all (default: COCO's of 17 points, "
                   "COCO-WholeBody's of 68)")
        ->type_name("S")
        ->delimiter(',')
        ->group(evaluation_group);
    app.add_option("--fp-points", flags.false_positive_points,
                   "Numbers of false positives to report the detection rate at (default 5,16,32)")
        ->delimiter(',')
        ->type_name("N,N,...")
        ->group(evaluation_group);
    app.add_option("--bootstrap", flags.bootstrap_resamples,
                   "Resamples for the 95 % intervals; 0 for none (default 1000)")
        ->check(CLI::Range(0, 1000000))
        ->type_name("N")
        ->group(evaluation_group);
    app.add_option("--seed", flags.bootstrap_seed, "Seed of the resamples (default 1)")
        ->type_name("N")
        ->group(evaluation_group);
}

RunConfig start_config(const ConfigFlags& flags) {
    RunConfig config = flags.config ? load_run_config(*flags.config) : RunConfig{};
    if (flags.device) config.device = *flags.device;
    if (flags.threads) config.threads = *flags.threads;
    if (flags.out) config.output = escape_environment(*flags.out);
    return config;
}

void apply(const DatasetFlags& flags, DatasetConfig& config) {
    if (flags.pattern) config.pattern = *flags.pattern;
    if (flags.limit) config.limit = *flags.limit;
    if (flags.root) config.root = escape_environment(*flags.root);
}

void apply(const DetectorFlags& flags, RunConfig& config) {
    if (!flags.models.empty()) {
        // Another model for the one configured detector keeps its parameters; several models start from the
        // defaults.
        const DetectorOptions options =
            config.detectors.size() == 1 ? config.detectors[0].options : DetectorOptions{};
        config.detectors.clear();
        for (const std::string& model : flags.models) {
            config.detectors.push_back({"", escape_environment(model), options});
        }
    }
    if (config.detectors.empty()) config.detectors.emplace_back();
    for (DetectorConfig& detector : config.detectors) {
        DetectorOptions& options = detector.options;
        if (flags.scale_factor) options.scale_factor = *flags.scale_factor;
        if (flags.min_neighbors) options.min_neighbors = *flags.min_neighbors;
        if (flags.min_size) options.min_size = parse_size(*flags.min_size, "--min-size");
        if (flags.max_size) options.max_size = parse_size(*flags.max_size, "--max-size");
        if (flags.score) options.score = score_kind_from_string(*flags.score);
        if (flags.raw) options.raw = true;
        if (flags.start_scale) options.start_scale = *flags.start_scale;
        if (flags.step) options.step = *flags.step;
        if (flags.min_score) options.min_score = *flags.min_score;
    }
}

void apply(const LandmarkingFlags& flags, const DetectorFlags& detector, RunConfig& config) {
    LandmarkConfig& landmarks = config.landmarks;
    if (flags.model) landmarks.model = escape_environment(*flags.model);
    if (!flags.boxes.empty()) {
        landmarks.boxes.clear();
        for (const std::string& name : flags.boxes) landmarks.boxes.push_back(box_source_from_string(name));
    }
    if (flags.convention) landmarks.convention = *flags.convention;
    if (!landmarks.wanted() && (!flags.boxes.empty() || flags.convention)) {
        throw UsageError(std::string(flags.convention ? "--box-convention" : "--boxes") +
                         " is for landmarks: name their model with --landmarks");
    }
    if (runs_detectors(config)) return;
    if (!detector.models.empty()) {
        throw UsageError(
            "--model names a detector, but none runs where landmarks are found in annotated boxes alone; "
            "leave it out, or name both --boxes");
    }
    config.detectors.clear();
}

void apply(const EvaluationFlags& flags, EvaluationConfig& config) {
    if (flags.protocol) set_protocol(*flags.protocol, config);
    if (flags.mode) config.options.mode = mode_from_string(*flags.mode);
    if (flags.iou_threshold) config.options.iou_threshold = *flags.iou_threshold;
    if (!flags.oks_sigmas.empty()) config.options.oks_sigmas = flags.oks_sigmas;
    if (!flags.false_positive_points.empty())
        config.options.false_positive_points = flags.false_positive_points;
    if (flags.bootstrap_resamples) config.options.bootstrap_resamples = *flags.bootstrap_resamples;
    if (flags.bootstrap_seed) config.options.bootstrap_seed = *flags.bootstrap_seed;
}

RunConfig single_detector_config(const std::string& command, const SingleDetectorFlags& flags) {
    RunConfig config;
    if (flags.device) config.device = *flags.device;
    if (flags.threads) config.threads = *flags.threads;
    if (flags.detector.models.empty()) {
        throw UsageError(command + " needs a cascade: name a file, mct, or one of opencv-data, with --model");
    }
    apply(flags.detector, config);
    if (config.detectors.size() > 1) throw UsageError(command + " takes one --model");
    return config;
}

void finish_config(RunConfig& config) {
    expand_environment(config);
    validate_run_config(config);
}

void set_images(const std::vector<std::string>& arguments, DatasetConfig& config) {
    if (arguments.empty()) return;
    config.path.clear();
    config.files.clear();
    if (arguments.size() == 1) {
        config.path = escape_environment(arguments[0]);
    } else {
        for (const std::string& file : arguments) config.files.push_back(escape_environment(file));
    }
}

Size parse_size(const std::string& text, const std::string& flag) {
    Size size;
    const char* const end = text.data() + text.size();
    const auto [after_width, width_error] = std::from_chars(text.data(), end, size.width);
    if (width_error == std::errc{} && size.width >= 0) {
        if (after_width == end) return {size.width, size.width};
        if (*after_width == 'x') {
            const auto [after_height, height_error] = std::from_chars(after_width + 1, end, size.height);
            if (height_error == std::errc{} && after_height == end && size.height >= 0) return size;
        }
    }
    throw UsageError(flag + " '" + text +
                     "' is not a size: use WIDTHxHEIGHT, e.g. 40x40, or one number for a square");
}

double parse_megabytes(const std::string& text, const std::string& flag) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    std::string unit(rest, end);
    if (unit.size() > 2 && (unit.ends_with("iB") || unit.ends_with("ib"))) unit.resize(unit.size() - 2);
    if (unit.ends_with('B') || unit.ends_with('b')) unit.pop_back();
    double megabytes = -1;
    if (unit.empty()) megabytes = number / (1 << 20);
    if (unit == "K" || unit == "k") megabytes = number / 1024;
    if (unit == "M" || unit == "m") megabytes = number;
    if (unit == "G" || unit == "g") megabytes = number * 1024;
    if (unit == "T" || unit == "t") megabytes = number * (1 << 20);
    if (error != std::errc{} || !(megabytes >= 0 && megabytes <= 1e12)) {
        throw UsageError(flag + " must be a size, e.g. 800M or 4G, but is '" + text + "'");
    }
    return megabytes;
}

std::string printed_config(const RunConfig& config) {
    return run_config_to_json(config).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fovea
