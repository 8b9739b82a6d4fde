#include "lib/run/run.hpp"

#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/commands/recognition_tables.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/max_unreadable.hpp"
#include "apps/options/recogniser_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/media_names.hpp"
#include "lib/job/memory_plan.hpp"
#include "lib/json/json.hpp"
#include "lib/report/detection/detection_report.hpp"
#include "lib/report/landmarks/landmark_report.hpp"
#include "lib/report/page/late_report.hpp"

namespace fovea {
namespace {

constexpr const char* run_footer = R"(Examples:
  fovea run settings.json --out demo/
  fovea run --dataset dlib:training.xml --model haarcascade_frontalface_alt2 --model mine.xml --out compare/
  fovea run --dataset pts:DIR --landmarks default --boxes detector,truth --out landmarks/

Writes into the output folder: results.jsonl (results-NAME.jsonl if there are several detectors),
run.json and, if the dataset has ground truth, report.html, report.json, curves.csv and plots. The
default detector is wild. All detections are kept, however weak, so that curves are complete; --min-score
drops some.

With --landmarks the program finds the landmarks of all detections, and evaluates them in the same
report if the dataset has landmarks. --boxes truth finds them in the annotated boxes instead
(results-truth.jsonl). --boxes detector,truth does both.)";

struct RunFlags {
    std::optional<std::string> config;
    std::optional<std::string> dataset;
    ConfigFlags common;
    DatasetFlags images;
    DetectorFlags detector;
    LandmarkingFlags landmarks;
    EvaluationFlags evaluation;
    ReportFlags report;
    std::optional<UnreadableLimit> max_unreadable;
    bool overwrite = false;
};

// Flags for images and detectors change nothing where faces are recognised and nothing else.
void refuse_idle_flags(const RunFlags& flags, const RunConfig& config) {
    if (flags.dataset || processes_images(config)) return;
    if (flags.images.any() || flags.detector.any() || flags.landmarks.any()) {
        throw UsageError(
            "this configuration recognises faces and does nothing else, which flags of images, detectors and "
            "landmarks do not change; set 'recognition' in the configuration, or use 'fovea evaluate'");
    }
}

// Images stand where a configuration is wanted: other programs take them there.
void refuse_images(const std::string& config) {
    if (!is_folder(config) && !is_image_name(config) && !is_video_name(config) && !is_archive_name(config))
        return;
    throw UsageError(
        fmt::format("'{0}' stands where a configuration in JSON is needed; to find the faces in it: 'fovea "
                    "detect {0}'; to "
                    "evaluate detectors on it: 'fovea run --dataset {0} --out DIR'",
                    config));
}

RunConfig effective_config(const RunFlags& flags) {
    ConfigFlags common = flags.common;
    if (flags.config && common.config)
        throw UsageError("the configuration is given twice: as CONFIG and with --config");
    if (flags.config) refuse_images(*flags.config);
    if (flags.config) common.config = flags.config;
    if (!common.config && !flags.dataset && !common.print_config) {
        throw UsageError("nothing to run: give a JSON configuration, or --dataset, --model and --out");
    }
    RunConfig config = start_config(common);
    if (common.config) refuse_idle_flags(flags, config);
    if (flags.dataset) set_images({*flags.dataset}, config.dataset);
    apply(flags.images, config.dataset);
    apply(flags.detector, config);
    apply(flags.landmarks, flags.detector, config);
    apply(flags.evaluation, config.evaluation);
    apply(flags.report, config.report);
    finish_config(config);
    return config;
}

// The detections and their evaluation.
std::string image_tables(const RunConfig& config, const RunResult& outcome) {
    const DetectImagesResult& images = outcome.detection.images;
    std::string text =
        fmt::format("{} in {}", counted(images.images, "image"), format_duration(images.total_seconds));
    if (!images.unreadable.empty()) text += fmt::format(", {} unreadable", images.unreadable.size());
    text += "\n";
    if (!outcome.evaluations.empty()) text += format_tables(detection_summary(outcome.evaluations));
    if (!outcome.landmarks.empty()) {
        text +=
            (outcome.evaluations.empty() ? "" : "\n") + format_tables(landmark_summary(outcome.landmarks));
    } else if (!outcome.why_no_landmarks.empty() && outcome.why_no_evaluation.empty()) {
        text += "no evaluation of landmarks: " + outcome.why_no_landmarks + "\n";
    }
    if (!outcome.why_no_evaluation.empty()) text += "no evaluation: " + outcome.why_no_evaluation + "\n";
    return text + (outcome.report.page ? "report: " + outcome.report.page->string() + "\n"
                                       : "results: " + config.output + "\n");
}

void add_images_json(Json& json, const RunResult& outcome) {
    const DetectImagesResult& images = outcome.detection.images;
    add_counts_json(json, images);
    json["detectors"] = Json::array();
    const Json& manifest = outcome.detection.manifest;
    const auto file_of = [&](const Json& entry) {
        return (outcome.manifest.parent_path() / entry["results"].get<std::string>()).string();
    };
    for (const Json& detector : manifest["detectors"]) {
        json["detectors"].push_back({{"name", detector["name"]},
                                     {"results", file_of(detector)},
                                     {"detections", detector["detections"]}});
    }
    if (const auto truth = manifest.find("truth_boxes"); truth != manifest.end())
        json["truth_boxes"] = {{"results", file_of(*truth)}, {"faces", (*truth)["faces"]}};
    if (!outcome.evaluations.empty()) {
        Json numbers = detection_report_numbers(outcome.evaluations);
        json["detection"] = std::move(numbers["detection"]);
        for (std::size_t i = 0; i < outcome.evaluations.size(); ++i)
            json["detectors"][i]["detection"] = std::move(numbers["detectors"][i]["detection"]);
    }
    if (!outcome.landmarks.empty()) json.update(landmark_report_numbers(outcome.landmarks));
    if (!outcome.why_no_landmarks.empty()) json["why_no_landmarks"] = outcome.why_no_landmarks;
    if (!outcome.why_no_evaluation.empty()) json["why_no_evaluation"] = outcome.why_no_evaluation;
}

LateReport failed_report(const RunResult& outcome) {
    if (outcome.report.failure || !outcome.recognition) return outcome.report;
    return outcome.recognition->failed_report();
}

void show(const RunConfig& config, const RunResult& outcome, const Console& console) {
    std::string text;
    if (processes_images(config)) text = image_tables(config, outcome);
    Json json;
    json["command"] = "run";
    json["exit_code"] = static_cast<int>(failed_report(outcome).code(outcome.exit_code));
    json["output"] = config.output;
    json["manifest"] = outcome.manifest.string();
    if (outcome.report.page) json["report"] = outcome.report.page->string();
    if (processes_images(config)) add_images_json(json, outcome);
    if (const auto& recognition = outcome.recognition) {
        const std::string tables = recognition->interrupted ? "interrupted: no face was compared\n"
                                                            : recognition_tables(*recognition);
        text += (text.empty() ? "" : "\n") + tables;
        Json& entry = json["recognition"];
        add_recognition_json(entry, *recognition);
        entry.update(recognition_numbers(*recognition));
        if (!json.contains("report") && !recognition->reports().empty()) {
            json["report"] = recognition->reports().front().string();
        }
    }
    console.print_summary(text);
    console.print_json(json);
}

ExitCode run(const RunFlags& flags, Console& console) {
    const RunConfig config = effective_config(flags);
    if (flags.common.print_config) {
        std::cout << printed_config(config);
        return ExitCode::done;
    }
    limit_video_memory(config);
    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    RunResult outcome = run_pipeline(
        config, hooks, flags.overwrite ? ExistingResults::overwrite : ExistingResults::replace_own);
    console.clear_progress();
    warn_unreadable(outcome.detection.images.unreadable, outcome.detection.images.images);
    warn_pages_left_out(outcome.detection.images.pages_left_out);
    if (outcome.recognition) warn_failures(*outcome.recognition);
    std::size_t unreadable = outcome.detection.images.unreadable.size() + outcome.left_out;
    std::size_t faceless = 0;
    if (outcome.recognition) {
        const std::vector<FailedFace>& failures = outcome.recognition->failures;
        unreadable += unreadable_of(failures) + outcome.recognition->pages_left_out;
        faceless = failures.size() - unreadable_of(failures);
    }
    outcome.exit_code = with_max_unreadable(
        outcome.exit_code, {unreadable, outcome.detection.images.images, faceless}, flags.max_unreadable);
    show(config, outcome, console);
    failed_report(outcome).rethrow();
    return outcome.exit_code;
}

}  // namespace

Command add_run_command(CLI::App& program) {
    CLI::App* app =
        program.add_subcommand("run", "Detect in a dataset, evaluate and write the report: the main job");
    auto flags = std::make_shared<RunFlags>();
    app->footer(run_footer);
    app->add_option("CONFIG", flags->config, "JSON configuration ('-' is standard input)")->type_name("");
    add_config_flags(*app, flags->common);
    app->add_option("--out,-o", flags->common.out, "Folder for results, manifest and report")
        ->type_name("DIR")
        ->group("Output");
    add_overwrite_flag(*app, flags->overwrite, "a run of other work");
    app->add_option("--dataset", flags->dataset, "Dataset, FORMAT:PATH or a path")
        ->type_name("DATASET")
        ->group("Images");
    add_dataset_flags(*app, flags->images);
    add_detector_flags(*app, flags->detector, true);
    add_landmarking_flags(*app, flags->landmarks, true);
    add_evaluation_flags(*app, flags->evaluation);
    add_report_flags(*app, flags->report);
    add_max_unreadable_flag(*app, flags->max_unreadable, "Images");
    add_device_flag(*app, flags->common.device);
    add_threads_flag(*app, flags->common.threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace fovea
