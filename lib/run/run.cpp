#include "lib/run/run.hpp"

#include "lib/config/device_choice.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/job_plan.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/job/output_guard.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

DetectionFiles files_of(const RunConfig& config, const InputFiles& inputs) {
    const std::filesystem::path folder = config.output;
    DetectionFiles files;
    for (const DetectorConfig& detector : config.detectors) {
        files.results.push_back(folder / (config.detectors.size() == 1
                                              ? "results.jsonl"
                                              : "results-" + detector_name(detector) + ".jsonl"));
    }
    if (config.landmarks.uses(BoxSource::truth)) {
        files.results.push_back(folder / ("results-" + to_string(BoxSource::truth) + ".jsonl"));
    }
    files.manifest = folder / "run.json";
    files.reports = {folder / "report.html", folder / "report.json"};
    files.inputs = inputs;
    return files;
}

void check_output(const RunConfig& config) {
    if (config.output.empty()) {
        throw UsageError(
            "no output folder was given: use --out FOLDER, or set 'output' in the configuration");
    }
    if (config.output == "-") {
        throw UsageError(
            "a run writes several files, which standard output cannot hold: name a folder with --out");
    }
    check_output_folder(config.output, "--out");
}

// Detections and landmarks: results, manifest, evaluation and report.
void process_images(const RunConfig& config, const DetectionDevice& device, ThreadLimit& threads,
                    const std::vector<RelatedReport>& related, const JobHooks& hooks,
                    ExistingResults existing, const InputFiles& inputs, RunResult& outcome) {
    std::vector<LoadedDetector> detectors;
    if (runs_detectors(config)) detectors = load_detectors(config, device);
    std::optional<LoadedLandmarker> loaded;
    if (config.landmarks.wanted()) loaded = load_landmarker(config.landmarks, device);
    const LoadedLandmarker* landmarker = loaded ? &*loaded : nullptr;
    hooks.begin_stage("reading the dataset");
    const DetectionFiles files = files_of(config, inputs);
    const JobImages images = JobImages::of(read_configured_dataset(config.dataset, config.image));
    const Dataset& dataset = *images.dataset;
    const DetectionJob job{{config, images, detectors, device, landmarker, existing}, "run", files};
    outcome.detection = run_detection_job(job, plan_job(job), hooks);
    outcome.left_out = images.images.skipped_files() + outcome.detection.images.pages_left_out;
    if (outcome.left_out > 0 || !outcome.detection.images.unreadable.empty())
        outcome.exit_code = ExitCode::inputs_skipped;

    if (outcome.detection.images.interrupted) {
        outcome.exit_code = ExitCode::interrupted;
        outcome.why_no_evaluation = "interrupted";
    } else if (!config.evaluation.enabled) {
        outcome.why_no_evaluation = "switched off in the configuration";
    } else if (!dataset.has_ground_truth()) {
        outcome.why_no_evaluation = "the dataset has no ground truth";
    } else {
        RunEvaluationResult evaluation;
        threads.run([&] {
            evaluation = evaluate_run(
                dataset,
                {effective_config(config, detectors), files, &outcome.detection, landmarker, related}, hooks);
        });
        outcome.evaluations = std::move(evaluation.detections);
        outcome.landmarks = std::move(evaluation.landmarks);
        outcome.report = std::move(evaluation.report);
        outcome.why_no_landmarks = evaluation.why_no_landmarks;
        if (outcome.evaluations.empty() && outcome.landmarks.empty()) {
            outcome.why_no_evaluation = outcome.why_no_landmarks;
        }
        if (evaluation.interrupted) {
            outcome.exit_code = ExitCode::interrupted;
            if (outcome.evaluations.empty() && outcome.landmarks.empty()) {
                outcome.why_no_evaluation = "interrupted";
            }
        }
    }
}

// Reports that were finished are there, whatever has become of run.json since.
void refuse_other_recognition(const RunConfig& config, const RecognitionJob& job, bool overwrite) {
    const Json configuration = run_config_to_json(config);
    for (const RelatedReport& page : job.pages()) {
        const std::filesystem::path folder =
            (std::filesystem::path(config.output) / page.address).parent_path();
        refuse_other_report(folder / "report.json", {{"recognition", configuration["recognition"]}},
                            overwrite, "configuration");
    }
}

RecognitionRequest recognition_request(const RunConfig& config, const InputFiles& inputs) {
    RecognitionRequest request;
    request.inputs = inputs;
    request.config = config.recognition;
    request.decode = decode_options(config.image);
    request.threads = config.threads;
    request.bootstrap_resamples = config.evaluation.options.bootstrap_resamples;
    request.bootstrap_seed = config.evaluation.options.bootstrap_seed;
    request.configuration = run_config_to_json(config);
    request.root = config.dataset.root;
    request.folder = config.output;
    request.own_folder = !processes_images(config);
    if (request.own_folder) request.title = config.report.title;
    return request;
}

void recognise(const RunConfig& config, const DetectionDevice& device, RecognitionJob& job,
               RunResult& outcome) {
    std::vector<RelatedReport> related;
    if (outcome.report.page) {
        const std::string title = outcome.evaluations.empty() ? "Face landmarks" : "Face detection";
        related.push_back({title, outcome.report.page->lexically_relative(config.output).generic_string()});
    }
    outcome.recognition = job.run(related);
    const RecognitionResult& found = *outcome.recognition;
    Json manifest = outcome.detection.manifest;
    if (manifest.is_null())
        manifest = manifest_json({"run", run_config_to_json(config), device.name(), found.interrupted});
    manifest["recognition"] = found.manifest;
    write_json_file(outcome.manifest, manifest);
    if (!found.failures.empty() || found.pages_left_out > 0) outcome.exit_code = ExitCode::inputs_skipped;
    if (found.interrupted) outcome.exit_code = ExitCode::interrupted;
}

}  // namespace

RunResult run_pipeline(const RunConfig& given, const JobHooks& hooks, ExistingResults existing) {
    RunConfig config = given;
    if (!runs_detectors(config)) config.detectors.clear();
    validate_run_config(config);
    check_output(config);
    const bool overwrite = existing == ExistingResults::overwrite;
    if (!processes_images(config)) {
        refuse_other_report(std::filesystem::path(config.output) / "run.json",
                            {{"configuration", run_config_to_json(config)}}, overwrite);
    }
    ThreadLimit threads(config.threads);
    const DetectionDevice device = open_detection_device(config.device);
    InputFiles inputs;
    inputs.add(config.file);
    RunResult outcome;
    outcome.manifest = std::filesystem::path(config.output) / "run.json";
    // Both know that they can do their work before one of them replaces anything.
    std::optional<RecognitionJob> recognition;
    if (config.recognition.wanted()) recognition.emplace(recognition_request(config, inputs), device, hooks);
    if (recognition) refuse_other_recognition(config, *recognition, overwrite);
    if (processes_images(config)) {
        process_images(config, device, threads,
                       recognition ? recognition->pages() : std::vector<RelatedReport>(), hooks, existing,
                       inputs, outcome);
    }
    if (recognition && outcome.exit_code != ExitCode::interrupted) {
        recognise(config, device, *recognition, outcome);
    }
    return outcome;
}

}  // namespace fovea
