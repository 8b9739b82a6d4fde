#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/accuracy_gate.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/threads.hpp"
#include "lib/evaluate/landmarks/landmark_json.hpp"
#include "lib/json/json.hpp"
#include "lib/report/landmarks/landmark_report.hpp"
#include "lib/run/evaluate_landmark_results.hpp"

namespace fovea {
namespace {

constexpr const char* evaluate_landmarks_footer = R"(Examples:
  fovea evaluate landmarks --dataset pts:DIR --results results.jsonl --out report/
  fovea evaluate landmarks --dataset dlib:testing.xml --results dlib:predicted.xml pts:other/ --out comparison/
  fovea evaluate landmarks --dataset pts:DIR --results new.jsonl --require 'landmarks.nme.pupils.mean<=0.05'

Results: Fovea's JSON Lines with "landmarks" in their detections, a folder of .pts files (pts:DIR), or a dataset file
that another program wrote (dlib:FILE.xml, fovea:FILE.json). A face without landmarks counts as missed.
With several --results, "landmarks" is the first and landmarkers[1].landmarks the second. --require takes the names of
report.json.)";

struct LandmarkFlags {
    std::optional<std::string> dataset;
    std::vector<std::string> results;
    std::vector<std::string> names;
    std::optional<std::string> normaliser;
    std::vector<std::string> requirements;
    ConfigFlags common;
    DatasetFlags images;
};

RunConfig effective_config(const LandmarkFlags& flags) {
    RunConfig config = start_config(flags.common);
    if (flags.dataset) set_images({*flags.dataset}, config.dataset);
    apply(flags.images, config.dataset);
    // A run's output folder is not taken over: its report would be overwritten without having been named.
    if (!flags.common.out) config.output.clear();
    finish_config(config);
    return config;
}

// "pts:found/" is named as "pts:found" is.
std::vector<std::string> without_trailing_slashes(std::vector<std::string> specifications) {
    for (std::string& text : specifications) {
        while (text.size() > 1 && text.back() == '/') text.pop_back();
    }
    return specifications;
}

LandmarkEvaluationRequest request_of(const LandmarkFlags& flags, const RunConfig& config) {
    if (flags.results.empty()) throw UsageError("no results were given: name them with --results");
    if (!flags.names.empty() && flags.names.size() != flags.results.size()) {
        throw UsageError(fmt::format("there are {} names for {} results; give one --name for each",
                                     flags.names.size(), flags.results.size()));
    }
    LandmarkEvaluationRequest request;
    request.results = name_results(without_trailing_slashes(flags.results));
    for (std::size_t i = 0; i < flags.names.size(); ++i) request.results[i].name = flags.names[i];
    if (flags.normaliser) request.options.normaliser = normaliser_from_string(*flags.normaliser);
    request.options.bootstrap_resamples = config.evaluation.options.bootstrap_resamples;
    request.options.bootstrap_seed = config.evaluation.options.bootstrap_seed;
    request.report = config.report;
    request.decode = decode_options(config.image);
    if (!config.output.empty()) request.folder = config.output;
    request.configuration["dataset"] = run_config_to_json(config)["dataset"];
    request.configuration["results"] = flags.results;
    if (flags.normaliser) request.configuration["normaliser"] = *flags.normaliser;
    return request;
}

ExitCode evaluate(const LandmarkFlags& flags, Console& console) {
    const RunConfig config = effective_config(flags);
    if (flags.common.print_config) {
        std::cout << printed_config(config);
        return ExitCode::done;
    }
    std::vector<AccuracyGate> gates;
    for (const std::string& requirement : flags.requirements) gates.push_back(parse_gate(requirement));
    const LandmarkEvaluationRequest request = request_of(flags, config);
    const Dataset dataset = read_configured_dataset(config.dataset);
    const InterruptGuard interrupt;
    ThreadLimit threads(config.threads);
    LandmarkEvaluationResult outcome;
    threads.run(
        [&] { outcome = evaluate_landmark_results(dataset, request, run_hooks(console, interrupt)); });
    console.clear_progress();

    // A gate is for all results: with some of them missing it neither holds nor fails.
    ExitCode code = outcome.interrupted ? ExitCode::interrupted : ExitCode::done;
    for (const LandmarkEvaluation& evaluation : outcome.evaluations) {
        // Their faces count as missed, so the numbers stand; but they are not those of the whole dataset.
        if (evaluation.images_unreadable + evaluation.images_missing > 0 && code == ExitCode::done) {
            code = ExitCode::inputs_skipped;
        }
    }
    Json json = outcome.interrupted ? Json::object() : landmark_report_numbers(outcome.evaluations);
    const Json gate_outcome = outcome.interrupted ? Json::array() : check_gates(gates, json, code);
    std::string text;
    if (!outcome.evaluations.empty()) {
        text = landmark_protocol_description(outcome.evaluations.front()) + "\n" +
               landmark_table(outcome.evaluations);
    }
    if (outcome.interrupted) text += "interrupted: no report was written\n";
    if (outcome.report) text += "report: " + outcome.report->string() + "\n";
    console.print_summary(text);

    json["command"] = "evaluate landmarks";
    json["exit_code"] = static_cast<int>(code);
    if (outcome.report) json["report"] = outcome.report->string();
    json["interrupted"] = outcome.interrupted;
    if (!gates.empty()) json["requirements"] = gate_outcome;
    console.print_json(json);
    return code;
}

}  // namespace

Command add_evaluate_landmarks_command(CLI::App& evaluate_app) {
    CLI::App* app =
        evaluate_app.add_subcommand("landmarks", "Evaluate landmarks: NME, CED, AUC, failures, report");
    auto flags = std::make_shared<LandmarkFlags>();
    app->footer(evaluate_landmarks_footer);
    app->add_option("--dataset", flags->dataset, "Dataset with landmarks, FORMAT:PATH or a path")
        ->type_name("DATASET")
        ->group("Images");
    add_dataset_flags(*app, flags->images);
    app->add_option("--results", flags->results, "Results to evaluate; several are compared")
        ->type_name("RESULTS")
        ->group("Evaluation");
    app->add_option("--name", flags->names, "Names of the results, for legends (default: from the files)")
        ->type_name("NAME")
        ->group("Evaluation");
    app->add_option("--normaliser", flags->normaliser,
                    "Of points, regions, slices and pictures; faces are measured with all (default: "
                    "outer_eye_corners of 68 points)")
        ->check(
            CLI::IsMember({"outer_eye_corners", "pupils", "eye_centres", "box_diagonal", "sqrt_box_area"}))
        ->type_name("NORMALISER")
        ->group("Evaluation");
    app->add_option("--require", flags->requirements, "Accuracy gate; exit code 4 if it does not hold")
        ->type_name("KEY<=VALUE")
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
