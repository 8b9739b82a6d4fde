#include "apps/options/common_options.hpp"

#include <charconv>
#include <iterator>

#include <CLI/CLI.hpp>

#include "lib/core/error.hpp"
#include "lib/detect/detector_kinds.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/inputs/archive_names.hpp"
#include "lib/inputs/brace_names.hpp"
#include "lib/job/output_guard.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

constexpr const char* output_group = "Output";
constexpr const char* config_group = "Configuration";
constexpr const char* detector_group = "Detector";

}  // namespace

std::shared_ptr<OutputFlags> add_output_flags(CLI::App& app) {
    auto flags = std::make_shared<OutputFlags>();
    app.add_flag("--json", flags->json, "Print the result as one JSON object on standard output")
        ->group(output_group);
    app.add_flag("--quiet,-q", flags->quiet, "Print errors only: no progress, no summary")
        ->group(output_group);
    app.add_option(
           "--progress", flags->progress,
           "Progress on standard error: a bar in a terminal and a line every 30 seconds in a log (auto), "
           "none (off), or one JSON object a line for programs (json)")
        ->check(CLI::IsMember({"auto", "off", "json"}))
        ->type_name("STYLE")
        ->group("Output")
        ->capture_default_str();
    app.add_option("--log-level", flags->log_level, "Lowest level of messages on standard error")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
        ->type_name("LEVEL")
        ->group("Advanced")
        ->capture_default_str();
    return flags;
}

void add_overwrite_flag(CLI::App& app, bool& overwrite, const std::string& what) {
    app.add_flag("--overwrite", overwrite, "Replace " + what + " that is there already")->group(output_group);
}

void add_config_flags(CLI::App& app, ConfigFlags& flags) {
    app.add_option("--config", flags.config, "JSON configuration; flags override it ('-' is standard input)")
        ->type_name("FILE")
        ->group(config_group);
    app.add_flag("--print-config", flags.print_config, "Print the effective configuration as JSON and stop")
        ->group(config_group);
}

void add_device_flag(CLI::App& app, std::optional<std::string>& device) {
    add_run_flag(app, "device", device);
}

void add_threads_flag(CLI::App& app, std::optional<int>& threads) {
    add_run_flag(app, "threads", threads);
}

void add_dataset_flags(CLI::App& app, DatasetFlags& flags, const std::vector<std::string>& left_out) {
    flags.add<DatasetConfig>(app, left_out);
}

void add_detector_flags(CLI::App& app, DetectorFlags& flags, bool with_score_and_raw) {
    app.add_option(
           "--model,-m", flags.models,
           "Detector: wild (all poses), wild-large (more faces, slower) or mct (upright faces), which ship "
           "with it, a cascade of opencv-data by its name, or a file (" +
               detector_files_text() + ")")
        ->type_name("MODEL")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false)
        ->group(detector_group);
    flags.options.add<DetectorOptions>(
        app, with_score_and_raw ? std::vector<std::string>{} : std::vector<std::string>{"min_score", "raw"});
}

void add_landmarking_flags(CLI::App& app, LandmarkingFlags& flags, bool both_boxes) {
    flags.add<LandmarkConfig>(app);
    if (both_boxes) return;
    app.get_option("--boxes")
        ->description("Boxes to find landmarks in: detector (default), or truth (the annotation)")
        ->delimiter('\0')
        ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

void add_single_detector_flags(CLI::App& app, SingleDetectorFlags& flags) {
    add_detector_flags(app, flags.detector, false);
    add_device_flag(app, flags.device);
    add_threads_flag(app, flags.threads);
}

void add_evaluation_flags(CLI::App& app, EvaluationFlags& flags) {
    flags.add<EvaluationConfig>(app);
}

void add_report_flags(CLI::App& app, ReportFlags& flags) {
    flags.add<ReportConfig>(app);
}

RunConfig start_config(const ConfigFlags& flags) {
    RunConfig config = flags.config ? load_run_config(*flags.config) : RunConfig{};
    if (flags.device) config.device = *flags.device;
    if (flags.threads) config.threads = *flags.threads;
    if (flags.out) config.output = escape_environment(*flags.out);
    return config;
}

void apply(const DatasetFlags& flags, DatasetConfig& config) {
    flags.apply(config, FlagPaths::escaped);
}

void apply(const ReportFlags& flags, ReportConfig& config) {
    flags.apply(config, FlagPaths::escaped);
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
        flags.options.apply(detector.options, FlagPaths::escaped);
    }
}

void apply(const LandmarkingFlags& flags, const DetectorFlags& detector, RunConfig& config) {
    LandmarkConfig& landmarks = config.landmarks;
    flags.apply(landmarks, FlagPaths::escaped);
    if (!landmarks.wanted() && (flags.has("boxes") || flags.has("convention"))) {
        throw UsageError(std::string(flags.has("convention") ? "--box-convention" : "--boxes") +
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
    flags.apply(config, FlagPaths::escaped);
    if (!config.protocol_of_dataset) refuse_idle_iou_threshold(flags, config.options.protocol);
}

void refuse_idle_iou_threshold(const EvaluationFlags& flags, DetectionProtocol protocol) {
    if (!flags.has("iou_threshold") || protocol == DetectionProtocol::iou) return;
    throw UsageError("--iou-threshold is for --protocol iou, but the protocol here is " +
                     record_of(protocol).name);
}

RunConfig single_detector_config(const std::string& command, const SingleDetectorFlags& flags) {
    RunConfig config;
    if (flags.device) config.device = *flags.device;
    if (flags.threads) config.threads = *flags.threads;
    apply(flags.detector, config);
    if (config.detectors.size() > 1) throw UsageError(command + " takes one --model");
    return config;
}

void finish_config(RunConfig& config) {
    expand_environment(config);
    validate_run_config(config);
}

void finish_config_of_folder(const std::string& command, const std::string& does, RunConfig& config) {
    const std::string name = "fovea " + command;
    if (config.detectors.size() > 1)
        throw UsageError(name + " runs one detector, but " + std::to_string(config.detectors.size()) +
                         " are given");
    if (config.landmarks.uses(BoxSource::truth))
        throw UsageError(name + " " + does + " detected faces; leave \"truth\" out of landmarks.boxes");
    if (!config.detectors.empty() && config.detectors[0].options.raw)
        throw UsageError(name + " " + does + " detections, not the windows of --raw; leave it out");
    finish_config(config);
    if (config.output.empty() || config.output == "-")
        throw UsageError(name + " writes a folder; name it with --out");
}

void check_report_folder(const std::filesystem::path& folder, const Json& configuration, bool overwrite) {
    check_output_folder(folder, "--out");
    refuse_other_report(folder / "report.json", {{"configuration", configuration}}, overwrite);
}

void set_images(const std::vector<std::string>& arguments, DatasetConfig& config) {
    if (arguments.empty()) return;
    config.path.clear();
    config.files.clear();
    std::vector<std::string> names;
    for (const std::string& argument : arguments) {
        // Those of a command are expanded together, as their archives make one list.
        std::vector<std::string> meant =
            is_archive_command(argument) ? std::vector{argument} : expand_braces(argument);
        std::move(meant.begin(), meant.end(), std::back_inserter(names));
    }
    if (names.size() == 1) {
        config.path = escape_environment(names[0]);
    } else {
        for (const std::string& file : names) config.files.push_back(escape_environment(file));
    }
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
    return indented_text(run_config_to_json(config)) + "\n";
}

}  // namespace fovea
