#include <cstdint>
#include <iostream>
#include <optional>

#include <CLI/CLI.hpp>

#include "apps/commands/commands.hpp"
#include "apps/options/results_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/threads.hpp"
#include "lib/evaluate/landmarks/landmark_json.hpp"
#include "lib/evaluate/unit_record.hpp"
#include "lib/json/json.hpp"
#include "lib/report/landmarks/landmark_report.hpp"
#include "lib/run/detection/evaluate_landmark_results.hpp"

namespace fovea {
namespace {

constexpr const char* evaluate_landmarks_footer = R"(Examples:
  fovea evaluate landmarks --dataset pts:DIR --results results.jsonl --out report/
  fovea evaluate landmarks --dataset dlib:testing.xml --results dlib:predicted.xml pts:other/ --out report/
  fovea evaluate landmarks --dataset pts:DIR --results new.jsonl --require 'landmarks.nme.pupils.mean<=0.05'

Reads Fovea's JSON Lines with "landmarks" in their detections, a folder of .pts files (pts:DIR), or the
dataset file of another program (dlib:FILE.xml, fovea:FILE.json). A face without landmarks counts as
missed. --require takes names of report.json. With several --results, "landmarks" is the first and
landmarkers[1].landmarks the second. --no-worse-than compares the first with that of an earlier report.)";

struct LandmarkFlags : ResultsFlags {
    std::optional<std::string> normaliser;
    std::optional<int> resamples;
    std::optional<std::uint64_t> seed;
};

RunConfig effective_config(const LandmarkFlags& flags) {
    RunConfig config = start_config(flags, flags.dataset);
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
    LandmarkEvaluationRequest request;
    request.results = named_results(flags, without_trailing_slashes(flags.results));
    if (flags.normaliser) request.options.normaliser = normaliser_from_string(*flags.normaliser);
    request.options.bootstrap_resamples =
        flags.resamples.value_or(config.evaluation.options.bootstrap_resamples);
    request.options.bootstrap_seed = flags.seed.value_or(config.evaluation.options.bootstrap_seed);
    request.report = config.report;
    request.decode = decode_options(config.image);
    if (!config.output.empty()) request.folder = {config.output, inputs_of(flags, config)};
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
    const std::vector<AccuracyGate> gates = gates_of(flags);
    check_baseline_flags(flags.gate);
    LandmarkEvaluationRequest request = request_of(flags, config);
    GateKeeper gate_keeper(gates, flags.gate, "landmarks");
    const auto units_of = [](const std::vector<LandmarkEvaluation>& evaluations) {
        std::vector<std::string> names;
        for (const LandmarkEvaluation& evaluation : evaluations) names.push_back(evaluation.name);
        return landmark_units_text(evaluations, names);
    };
    request.judge = [&](const Json& report, const std::vector<LandmarkEvaluation>& evaluations) {
        return gate_keeper.judge(report, [&] { return units_of(evaluations); });
    };
    if (request.folder) check_report_folder(request.folder->path(), request.configuration, flags.overwrite);
    const Dataset dataset = read_configured_dataset(config.dataset, config.image);
    const InterruptGuard interrupt;
    ThreadLimit threads(config.threads);
    LandmarkEvaluationResult outcome;
    threads.run(
        [&] { outcome = evaluate_landmark_results(dataset, request, job_hooks(console, interrupt)); });
    console.clear_progress();

    std::string text;
    if (!outcome.evaluations.empty()) {
        text = landmark_protocol_description(outcome.evaluations.front()) + "\n" +
               format_tables(landmark_summary(outcome.evaluations));
    }
    const ExitCode code = with_max_unreadable(exit_code_of(outcome.evaluations, outcome.interrupted),
                                              lost_inputs(outcome.evaluations), flags.max_unreadable);
    return finish_evaluation(
        "evaluate landmarks", flags, code, outcome.interrupted, outcome.report, gate_keeper, text,
        outcome.interrupted ? Json() : landmark_report_numbers(outcome.evaluations),
        [&] { return units_of(outcome.evaluations); }, console);
}

}  // namespace

Command add_evaluate_landmarks_command(CLI::App& evaluate_app) {
    CLI::App* app =
        evaluate_app.add_subcommand("landmarks", "Evaluate landmarks: NME, CED, AUC, failures, report");
    auto flags = std::make_shared<LandmarkFlags>();
    app->footer(evaluate_landmarks_footer);
    add_results_flags(*app, *flags, "Dataset with landmarks, FORMAT:PATH or a path");
    app->add_option(
           "--normaliser", flags->normaliser,
           "Normaliser of points, regions, slices and pictures; faces are measured with all (default: "
           "outer_eye_corners of 68 points)")
        ->check(
            CLI::IsMember({"outer_eye_corners", "pupils", "eye_centres", "box_diagonal", "sqrt_box_area"}))
        ->type_name("NORMALISER")
        ->group("Evaluation");
    add_resample_flags(*app, flags->resamples, flags->seed);
    add_requirement_flag(*app, *flags, "KEY<=VALUE");
    add_report_flags(*app, *flags);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return evaluate(*flags, console); }};
}

}  // namespace fovea
