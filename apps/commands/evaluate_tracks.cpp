#include <cstdint>
#include <iostream>
#include <optional>

#include <CLI/CLI.hpp>

#include "apps/commands/commands.hpp"
#include "apps/options/results_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/core/threads.hpp"
#include "lib/evaluate/tracks/track_json.hpp"
#include "lib/json/json.hpp"
#include "lib/report/tracks/track_report.hpp"
#include "lib/run/track/evaluate_track_results.hpp"

namespace fovea {
namespace {

constexpr const char* evaluate_tracks_footer = R"(Examples:
  fovea evaluate tracks --dataset mot:sequences/ --results mot:tracker/data/ --out report/
  fovea evaluate tracks --dataset mot:gt.txt,video=clip.mp4 --results results.jsonl --require 'tracks.hota>=0.6'
  fovea evaluate tracks --dataset mot:sequences/ --results mot:old/ mot:new/ --mode corrected

Gives HOTA, DetA, AssA, CLEAR (MOTA, MOTP, switches, fragments) and IDF1 with intervals, by video and for
all. Results are Fovea's JSON Lines with "track" in their detections, or MOTChallenge's text: mot:FILE of
one sequence, or mot:DIR with SEQUENCE.txt of each. --mode strict computes as TrackEval 1.3.0 does. With
several --results, "tracks" is the first and trackers[1].tracks the second; each is compared with the first
on the same resamples.)";

struct TrackEvaluationFlags : ResultsFlags {
    std::string mode = "strict";
    double iou_threshold = 0.5;
    std::optional<int> resamples;
    std::optional<std::uint64_t> seed;
};

RunConfig effective_config(const TrackEvaluationFlags& flags) {
    RunConfig config = start_config(flags, flags.dataset);
    finish_config(config);
    return config;
}

TrackEvaluationRequest request_of(const TrackEvaluationFlags& flags, const RunConfig& config) {
    if (!(flags.iou_threshold >= 0.01 && flags.iou_threshold <= 1))
        throw UsageError("--iou-threshold is a number from 0.01 to 1");
    TrackEvaluationRequest request;
    request.results = named_results(flags, flags.results);
    request.options.mode = flags.mode == "strict" ? TrackMode::strict : TrackMode::corrected;
    request.options.iou_threshold = flags.iou_threshold;
    const DetectionEvaluationOptions& evaluation = config.evaluation.options;
    request.options.bootstrap_resamples = flags.resamples.value_or(evaluation.bootstrap_resamples);
    request.options.bootstrap_seed = flags.seed.value_or(evaluation.bootstrap_seed);
    request.report = config.report;
    request.decode = decode_options(config.image);
    if (!config.output.empty()) request.folder = {config.output, inputs_of(flags, config)};
    request.configuration["dataset"] = run_config_to_json(config)["dataset"];
    request.configuration["results"] = flags.results;
    request.configuration["mode"] = flags.mode;
    request.configuration["iou_threshold"] = flags.iou_threshold;
    return request;
}

ExitCode evaluate(const TrackEvaluationFlags& flags, Console& console) {
    const RunConfig config = effective_config(flags);
    if (flags.common.print_config) {
        std::cout << printed_config(config);
        return ExitCode::done;
    }
    const std::vector<AccuracyGate> gates = gates_of(flags);
    check_baseline_flags(flags.gate);
    TrackEvaluationRequest request = request_of(flags, config);
    GateKeeper gate_keeper(gates, flags.gate, "tracks");
    const auto no_record = [] { return std::string(); };
    request.judge = gate_keeper.judge(no_record);
    if (request.folder) check_report_folder(request.folder->path(), request.configuration, flags.overwrite);
    const Dataset dataset = read_configured_dataset(config.dataset);
    const InterruptGuard interrupt;
    ThreadLimit threads(config.threads);
    TrackEvaluationResult outcome;
    threads.run([&] { outcome = evaluate_track_results(dataset, request, job_hooks(console, interrupt)); });
    console.clear_progress();

    std::string text;
    if (!outcome.evaluations.empty()) {
        text = track_protocol_description(outcome.evaluations.front()) + "\n" +
               format_tables(track_summary(outcome.evaluations));
    }
    const ExitCode code = with_max_unreadable(exit_code_of(outcome.evaluations, outcome.interrupted),
                                              lost_inputs(outcome.evaluations), flags.max_unreadable);
    return finish_evaluation("evaluate tracks", flags, code, outcome.interrupted, outcome.report, gate_keeper,
                             text, outcome.interrupted ? Json() : track_report_numbers(outcome.evaluations),
                             no_record, console);
}

}  // namespace

Command add_evaluate_tracks_command(CLI::App& evaluate_app) {
    CLI::App* app = evaluate_app.add_subcommand(
        "tracks", "Evaluate faces followed through videos: HOTA, MOTA, IDF1, report");
    auto flags = std::make_shared<TrackEvaluationFlags>();
    app->footer(evaluate_tracks_footer);
    add_results_flags(*app, *flags, "Dataset with tracks, FORMAT:PATH or a path");
    app->add_option("--mode", flags->mode, "As TrackEval computes it (strict), or without its quirks")
        ->check(CLI::IsMember({"strict", "corrected"}))
        ->capture_default_str()
        ->type_name("MODE")
        ->group("Evaluation");
    app->add_option("--iou-threshold", flags->iou_threshold, "Least IoU of a pair, for MOTA and IDF1")
        ->capture_default_str()
        ->type_name("IOU")
        ->group("Evaluation");
    add_resample_flags(*app, flags->resamples, flags->seed);
    add_requirement_flag(*app, *flags, "KEY>=VALUE");
    add_report_flags(*app, *flags);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return evaluate(*flags, console); }};
}

}  // namespace fovea
