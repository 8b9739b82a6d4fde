#include <cmath>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/commands/recognition_tables.hpp"
#include "apps/options/accuracy_gate.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/gate_keeper.hpp"
#include "apps/options/recogniser_flags.hpp"
#include "apps/options/recognition_options.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/evaluate/recognition/recognition_json.hpp"
#include "lib/evaluate/recognition/score_pairing.hpp"
#include "lib/evaluate/unit_record.hpp"
#include "lib/json/json.hpp"
#include "lib/report/recognition/recognition_report.hpp"
#include "lib/report/stored/report_threshold.hpp"

namespace fovea {
namespace {

constexpr const char* evaluate_verification_footer = R"(Examples:
  fovea evaluate verification --dataset lfw:DIR --recogniser lbp --out report/
  fovea evaluate verification --dataset lfw:DIR --scores scores.txt --out report/
  fovea evaluate verification --pairs test.txt --distance --threshold-from dev/report.json:threshold_at_far_0.001

With --recogniser the program finds the faces of the dataset's pairs, describes and compares them. A
face that it does not find is a failure to enroll. OUT/scores.txt gets the distances, OUT/run.json the
settings.

--scores reads lines "NAME_A NAME_B SCORE" (or CSV) for the pairs of a dataset, in any order. --pairs
reads pairs without a dataset: "NAME_A NAME_B SCORE LABEL [FOLD]", LABEL 1 for one subject and 0 for
two. A pair without a score is a failure to enroll: it counts, and is never accepted. With several
files, "verification" is the first and recognisers[1].verification the second.)";

struct VerificationFlags {
    std::optional<std::string> dataset;
    std::vector<std::string> scores;
    std::vector<std::string> pairs;
    std::optional<double> threshold;
    std::optional<std::string> threshold_from;
    RecogniserFlags recogniser;
    RecognitionFlags common;
};

std::vector<std::string> files_of(const VerificationFlags& flags) {
    if (flags.scores.empty() == flags.pairs.empty()) {
        throw UsageError(
            "give either --scores together with --dataset, or --pairs with labelled pairs of their own");
    }
    if (!flags.scores.empty() && !flags.dataset) {
        throw UsageError("--scores needs the --dataset whose pairs they are for; --pairs brings its own");
    }
    if (!flags.pairs.empty() && flags.dataset) {
        throw UsageError("--pairs brings its own pairs; use --scores with a --dataset");
    }
    if (flags.threshold && flags.threshold_from) {
        throw UsageError("--threshold and --threshold-from exclude each other");
    }
    return flags.scores.empty() ? flags.pairs : flags.scores;
}

VerificationOptions options_of(const VerificationFlags& flags, const std::string& name) {
    VerificationOptions options;
    options.distance = flags.common.distance;
    options.bootstrap_resamples = flags.common.resamples;
    options.bootstrap_seed = flags.common.seed;
    if (flags.threshold) {
        if (!std::isfinite(*flags.threshold)) throw UsageError("--threshold must be a finite number");
        options.threshold = flags.threshold;
        options.threshold_origin = "--threshold";
    }
    if (flags.threshold_from) {
        const ReportThreshold given = threshold_from(*flags.threshold_from, name, options.distance);
        options.threshold = given.value;
        options.threshold_origin = given.origin;
    }
    return options;
}

/// \param inputs  gets the dataset's.
VerificationEvaluations evaluate_all(const VerificationFlags& flags, const std::vector<std::string>& files,
                                     const JobHooks& hooks, InputFiles& inputs) {
    const std::vector<std::string> names = recogniser_names(files, flags.common.names);
    std::vector<VerificationOptions> options;
    for (const std::string& name : names) options.push_back(options_of(flags, name));
    std::optional<Dataset> dataset;
    if (flags.dataset) dataset = read_images(*flags.dataset, flags.common, inputs);
    VerificationEvaluations evaluations;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const ScoredPairs scored = dataset ? scores_of_pairs(*dataset, read_scores(files[i]))
                                           : labelled_pairs(read_scored_pairs(files[i]));
        evaluations.push_back(
            evaluate_verification(scored.pairs, options[i], names[i], share_hook(hooks, i, files.size())));
        evaluations.back().units_sha256 = scored.units_sha256;
        for (const std::string& warning : evaluations.back().warnings)
            spdlog::warn("{}: {}", names[i], warning);
    }
    return evaluations;
}

Json configuration_of(const VerificationFlags& flags, const std::vector<std::string>& files) {
    Json json;
    if (flags.dataset) json["dataset"] = *flags.dataset;
    json[flags.dataset ? "scores" : "pairs"] = files;
    json["distance"] = flags.common.distance;
    json["resamples"] = flags.common.resamples;
    json["seed"] = flags.common.seed;
    return json;
}

// Finds, describes and compares the faces itself.
ExitCode recognise_pairs(const VerificationFlags& flags, Console& console) {
    if (!flags.scores.empty() || !flags.pairs.empty()) {
        throw UsageError("--recogniser makes the scores itself; leave out --scores and --pairs");
    }
    if (!flags.dataset)
        throw UsageError("--recogniser needs the --dataset whose pairs it compares, e.g. lfw:DIR");
    if (flags.threshold || flags.threshold_from) {
        throw UsageError(
            "a threshold is applied to scores: keep those of --recogniser with --out, and evaluate "
            "scores.txt");
    }
    RecognitionConfig config;
    config.pairs = *flags.dataset;
    return run_recognition_command("evaluate verification", config, flags.recogniser, flags.common, console);
}

ExitCode evaluate_verification_command(const VerificationFlags& flags, Console& console) {
    check_recogniser_flags(flags.recogniser);
    if (!flags.recogniser.recognisers.empty()) return recognise_pairs(flags, console);
    const std::vector<std::string> files = files_of(flags);
    const std::vector<AccuracyGate> gates = gates_of(flags.common);
    if (flags.common.out)
        check_report_folder(*flags.common.out, configuration_of(flags, files), flags.common.overwrite);
    InputFiles inputs = inputs_of(flags.common, files);
    if (flags.threshold_from) add_inputs_of_report(*flags.threshold_from, inputs);
    ThreadLimit threads(flags.common.threads.value_or(0));
    VerificationEvaluations evaluations;
    console.stage("evaluating");
    JobHooks hooks;
    hooks.progress = [&console](const JobProgress& progress) { console.progress(progress); };
    threads.run([&] { evaluations = evaluate_all(flags, files, hooks, inputs); });
    console.clear_progress();

    GateKeeper gate_keeper(gates, flags.common.gate, "verification");
    const auto units = [&] { return verification_units_text(evaluations); };
    const RecognitionReportContext context{flags.common.title,
                                           flags.dataset.value_or(files.size() == 1 ? files[0] : ""),
                                           {},
                                           configuration_of(flags, files),
                                           report_origin_now(),
                                           {},
                                           gate_keeper.judge(units)};
    RecognitionSummary told{"evaluate verification", format_tables(verification_summary(evaluations)),
                            verification_report_json(evaluations, context), Json::object()};
    add_recogniser_numbers(told.numbers, "verification", evaluations, verification_to_json);
    return finish_recognition(
        flags.common, gate_keeper, units, std::move(told),
        [&] {
            return write_verification_report({*flags.common.out, inputs}, evaluations, context);
        },
        console);
}

}  // namespace

Command add_evaluate_verification_command(CLI::App& evaluate_app) {
    CLI::App* app = evaluate_app.add_subcommand(
        "verification",
        "Evaluate a recogniser, or scores of any, on pairs: ROC, DET, EER, TAR at FAR, folds, report");
    auto flags = std::make_shared<VerificationFlags>();
    app->footer(evaluate_verification_footer);
    app->add_option("--dataset", flags->dataset, "Dataset with a list of pairs, FORMAT:PATH")
        ->type_name("DATASET")
        ->group("Images");
    app->add_option("--scores", flags->scores, "Scores of the dataset's pairs; several are compared")
        ->type_name("FILE")
        ->group("Evaluation");
    app->add_option("--pairs", flags->pairs,
                    "Labelled pairs with scores, instead of a dataset; several are compared")
        ->type_name("FILE")
        ->group("Evaluation");
    app->add_option("--threshold", flags->threshold,
                    "Threshold fixed before: FMR, FNMR, HTER and accuracy there")
        ->type_name("T")
        ->group("Evaluation");
    app->add_option("--threshold-from", flags->threshold_from,
                    "The same from another run's report.json (default KEY: threshold_at_eer)")
        ->type_name("REPORT[:KEY]")
        ->group("Evaluation");
    add_recogniser_flags(*app, flags->recogniser);
    add_distance_flag(*app, flags->common);
    add_recognition_flags(*app, flags->common);
    auto output = add_output_flags(*app);
    return {app, output,
            [flags](Console& console) { return evaluate_verification_command(*flags, console); }};
}

}  // namespace fovea
