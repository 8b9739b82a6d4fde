#include "lib/pipeline/run.hpp"

#include "lib/pipeline/device_choice.hpp"
#include "lib/pipeline/threads.hpp"

namespace fovea {
namespace {

DetectionFiles files_of(const RunConfig& config) {
    const std::filesystem::path folder = config.output;
    DetectionFiles files;
    for (const DetectorConfig& detector : config.detectors) {
        files.results.push_back(folder / (config.detectors.size() == 1
                                              ? "results.jsonl"
                                              : "results-" + detector_name(detector) + ".jsonl"));
    }
    files.manifest = folder / "run.json";
    return files;
}

EvaluationRequest evaluation_of(const RunConfig& config, const DetectionFiles& files, const Json& manifest) {
    EvaluationRequest request;
    for (std::size_t i = 0; i < config.detectors.size(); ++i) {
        // The files, not what is in memory: a run and a later `fovea evaluate` of its results are the same
        // thing.
        request.results.push_back({detector_name(config.detectors[i]), "jsonl:" + files.results[i].string()});
    }
    request.evaluation = config.evaluation;
    request.report = config.report;
    request.decode = decode_options(config.image);
    request.folder = config.output;
    request.configuration = run_config_to_json(config);
    request.manifest = manifest;
    return request;
}

// The report of an earlier run would look like that of new results, should this run end before its own.
void remove_stale_report(const std::filesystem::path& folder) {
    for (const char* name : {"report.html", "report.json"}) {
        std::error_code error;
        if (!std::filesystem::remove(folder / name, error) && error) {
            throw Error("cannot remove " + (folder / name).string() +
                        " of an earlier run: " + error.message());
        }
    }
}

}  // namespace

PipelineOutcome run_pipeline(const RunConfig& config, const RunHooks& hooks) {
    validate_run_config(config);
    if (config.output.empty()) {
        throw UsageError(
            "no output folder was given: use --out FOLDER, or set 'output' in the configuration");
    }
    if (config.output == "-") {
        throw UsageError(
            "a run writes several files, which standard output cannot hold: name a folder with --out");
    }
    ThreadLimit threads(config.threads);
    const DetectionDevice device = open_detection_device(config.device);
    const std::vector<LoadedDetector> detectors = load_detectors(config, device);
    if (hooks.stage) hooks.stage("reading the dataset");
    const Dataset dataset = read_configured_dataset(config.dataset);

    const DetectionFiles files = files_of(config);
    remove_stale_report(config.output);
    PipelineOutcome outcome;
    outcome.manifest = files.manifest;
    outcome.detection = run_detection_job("run", config, dataset, detectors, device, files, hooks);
    if (!outcome.detection.images.unreadable.empty()) outcome.exit_code = ExitCode::inputs_skipped;

    if (outcome.detection.images.interrupted) {
        outcome.exit_code = ExitCode::interrupted;
        outcome.why_no_evaluation = "interrupted";
    } else if (!config.evaluation.enabled) {
        outcome.why_no_evaluation = "switched off in the configuration";
    } else if (!dataset.has_ground_truth()) {
        outcome.why_no_evaluation = "the dataset has no ground truth";
    } else {
        EvaluationOutcome evaluation;
        threads.run([&] {
            evaluation = evaluate_results(
                dataset,
                evaluation_of(effective_config(config, detectors), files, outcome.detection.manifest), hooks);
        });
        outcome.evaluations = std::move(evaluation.evaluations);
        outcome.report = std::move(evaluation.report);
        if (evaluation.interrupted) {
            outcome.exit_code = ExitCode::interrupted;
            outcome.why_no_evaluation = "interrupted";
        }
    }
    return outcome;
}

}  // namespace fovea
