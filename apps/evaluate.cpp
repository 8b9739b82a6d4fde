#include <iostream>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/accuracy_gate.hpp"
#include "apps/commands.hpp"
#include "apps/common_options.hpp"
#include "apps/interrupt.hpp"
#include "apps/summary.hpp"
#include "lib/evaluate/detection_json.hpp"
#include "lib/pipeline/evaluate_results.hpp"
#include "lib/pipeline/threads.hpp"

namespace fovea {
namespace {

constexpr const char* footer = R"(Examples:
  fovea evaluate detection --dataset mit-cmu:DIR --results results.jsonl --protocol mit-cmu --out report/
  fovea evaluate detection --dataset dlib:testing.xml --results a.jsonl coco:b.json text:c.txt --out comparison/
  fovea evaluate detection --dataset mit-cmu:DIR --results new.jsonl --require 'detection.average_precision>=0.9'

Results of any program are read: Fovea's JSON Lines, COCO results JSON, or text lines "name x y w h score".
With several --results, "detection" is the first and detectors[1].detection the second. --require takes the names of
report.json.)";

struct EvaluateFlags {
    std::optional<std::string> dataset;
    std::vector<std::string> results;
    std::vector<std::string> names;
    std::vector<std::string> requirements;
    ConfigFlags common;
    DatasetFlags images;
    EvaluationFlags evaluation;
};

RunConfig effective_config(const EvaluateFlags& flags) {
    RunConfig config = start_config(flags.common);
    if (flags.dataset) set_images({*flags.dataset}, config.dataset);
    apply(flags.images, config.dataset);
    apply(flags.evaluation, config.evaluation);
    // A run's output folder is not taken over: its report would be overwritten without having been named.
    if (!flags.common.out) config.output.clear();
    finish_config(config);
    return config;
}

EvaluationRequest request_of(const EvaluateFlags& flags, const RunConfig& config) {
    if (flags.results.empty()) throw UsageError("no results were given: name them with --results");
    EvaluationRequest request;
    request.results = name_results(flags.results);
    if (!flags.names.empty() && flags.names.size() != flags.results.size()) {
        throw UsageError(fmt::format("there are {} names for {} results; give one --name for each",
                                     flags.names.size(), flags.results.size()));
    }
    for (std::size_t i = 0; i < flags.names.size(); ++i) request.results[i].name = flags.names[i];
    request.options = config.evaluation.options;
    request.report = config.report;
    request.decode = decode_options(config.image);
    if (!config.output.empty()) request.folder = config.output;
    const Json effective = run_config_to_json(config);
    request.configuration["dataset"] = effective["dataset"];
    request.configuration["results"] = flags.results;
    request.configuration["evaluation"] = effective["evaluation"];
    request.manifest = find_manifest(flags.results[0]);
    return request;
}

// The gate speaks of report.json, which needs not be written for it.
Json report_numbers(const std::vector<DetectionEvaluation>& evaluations) {
    Json report;
    report["detection"] = detection_evaluation_to_json(evaluations.front());
    report["detectors"] = Json::array();
    for (const DetectionEvaluation& evaluation : evaluations) {
        report["detectors"].push_back(
            {{"name", evaluation.name}, {"detection", detection_evaluation_to_json(evaluation)}});
    }
    return report;
}

ExitCode evaluate(const EvaluateFlags& flags, Console& console) {
    const RunConfig config = effective_config(flags);
    if (flags.common.print_config) {
        std::cout << printed_config(config);
        return ExitCode::done;
    }
    std::vector<AccuracyGate> gates;
    for (const std::string& requirement : flags.requirements) gates.push_back(parse_gate(requirement));
    const EvaluationRequest request = request_of(flags, config);
    const InterruptGuard interrupt;
    const Dataset dataset = read_configured_dataset(config.dataset);
    ThreadLimit threads(config.threads);
    EvaluationOutcome outcome;
    threads.run([&] { outcome = evaluate_results(dataset, request, run_hooks(console, interrupt)); });
    console.clear_progress();

    // A gate is for all results: with some of them missing it neither holds nor fails.
    ExitCode code = outcome.interrupted ? ExitCode::interrupted : ExitCode::done;
    Json gate_outcome = Json::array();
    for (const DetectionEvaluation& evaluation : outcome.evaluations) {
        // Their faces count as missed, so the numbers stand; but they are not those of the whole dataset.
        if (evaluation.images_unreadable + evaluation.images_missing > 0 && code == ExitCode::done) {
            code = ExitCode::inputs_skipped;
        }
    }
    if (!outcome.interrupted && !gates.empty()) {
        gate_outcome = check_gates(gates, report_numbers(outcome.evaluations), code);
    }
    std::string text = fmt::format("{}\n", protocol_description(config.evaluation.options));
    text += evaluation_table(outcome.evaluations);
    if (outcome.interrupted) text += "interrupted: no report was written\n";
    if (outcome.report) text += "report: " + outcome.report->string() + "\n";
    console.print_summary(text);

    Json json;
    json["command"] = "evaluate detection";
    json["exit_code"] = static_cast<int>(code);
    if (outcome.report) json["report"] = outcome.report->string();
    json["protocol"] = protocol_description(config.evaluation.options);
    add_evaluations_json(json, outcome.evaluations);
    json["interrupted"] = outcome.interrupted;
    if (!gates.empty()) json["requirements"] = gate_outcome;
    console.print_json(json);
    return code;
}

}  // namespace

Command add_evaluate_detection_command(CLI::App& evaluate_app) {
    CLI::App* app = evaluate_app.add_subcommand("detection", "Evaluate detections: ROC, AP, IoU, report");
    auto flags = std::make_shared<EvaluateFlags>();
    app->footer(footer);
    app->add_option("--dataset", flags->dataset, "Dataset with ground truth, FORMAT:PATH or a path")
        ->type_name("DATASET")
        ->group("Images");
    add_dataset_flags(*app, flags->images);
    app->add_option("--results", flags->results, "Results to evaluate; several are compared")
        ->type_name("RESULTS")
        ->group("Evaluation");
    app->add_option("--name", flags->names, "Names of the results, for legends (default: from the files)")
        ->type_name("NAME")
        ->group("Evaluation");
    add_evaluation_flags(*app, flags->evaluation);
    app->add_option("--require", flags->requirements, "Accuracy gate; exit code 4 if it does not hold")
        ->type_name("KEY>=VALUE")
        ->group("Evaluation");
    add_config_flags(*app, flags->common);
    add_threads_flag(*app, flags->common.threads);
    app->add_option("--out,-o", flags->common.out, "Folder for the report (default: no report, numbers only)")
        ->type_name("DIR")
        ->group("Output");
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return evaluate(*flags, console); }};
}

}  // namespace fovea
