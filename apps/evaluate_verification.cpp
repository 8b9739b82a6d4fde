#include <cmath>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/accuracy_gate.hpp"
#include "apps/commands.hpp"
#include "apps/common_options.hpp"
#include "apps/recognition_options.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/recognition_json.hpp"
#include "lib/pipeline/score_pairing.hpp"
#include "lib/pipeline/threads.hpp"
#include "lib/pipeline/threshold_from.hpp"
#include "lib/report/recognition_report.hpp"

namespace fovea {
namespace {

constexpr const char* footer = R"(Examples:
  fovea evaluate verification --dataset lfw:DIR --scores scores.txt --out report/
  fovea evaluate verification --pairs dev.txt --distance --out dev/
  fovea evaluate verification --pairs test.txt --distance --threshold-from dev/report.json:threshold_at_far_0.001
  fovea evaluate verification --pairs a.txt b.txt --require 'verification.tar_at_far_0.001>=0.95'

--scores holds lines "NAME_A NAME_B SCORE" (or CSV) for the pairs of a dataset, in any order; --pairs brings its pairs
along: "NAME_A NAME_B SCORE LABEL [FOLD]", LABEL 1 for one subject and 0 for two. A pair without score is a failure to
enrol: it counts, and is never accepted. With several files, "verification" is the first and
recognisers[1].verification the second.)";

struct VerificationFlags {
    std::optional<std::string> dataset;
    std::vector<std::string> scores;
    std::vector<std::string> pairs;
    std::optional<double> threshold;
    std::optional<std::string> threshold_from;
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
        const GivenThreshold given = threshold_from(*flags.threshold_from, name, options.distance);
        options.threshold = given.value;
        options.threshold_origin = given.origin;
    }
    return options;
}

VerificationEvaluations evaluate_all(const VerificationFlags& flags, const std::vector<std::string>& files) {
    const std::vector<std::string> names = recogniser_names(files, flags.common.names);
    std::vector<VerificationOptions> options;
    for (const std::string& name : names) options.push_back(options_of(flags, name));
    std::optional<Dataset> dataset;
    if (flags.dataset) {
        DatasetConfig config;
        set_images({*flags.dataset}, config);
        config.root = flags.common.root;
        dataset = read_configured_dataset(config);
    }
    VerificationEvaluations evaluations;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const ScoredPairs scored = dataset ? scores_of_pairs(*dataset, read_scores(files[i]))
                                           : labelled_pairs(read_scored_pairs(files[i]));
        evaluations.push_back(evaluate_verification(scored.pairs, options[i], names[i]));
        for (const std::string& warning : evaluations.back().warnings)
            spdlog::warn("{}: {}", names[i], warning);
    }
    return evaluations;
}

std::string summary_table(const VerificationEvaluations& evaluations) {
    std::vector<std::vector<std::string>> rows{{"recogniser", "genuine", "impostors", "accuracy", "EER",
                                                "AUC", "TAR at FAR 0.01", "at 0.001", "at 0.0001"}};
    for (const VerificationEvaluation& e : evaluations) {
        std::vector<std::string> row{e.name, std::to_string(e.genuine), std::to_string(e.impostors)};
        const std::optional<double> error = e.estimate("accuracy_standard_error").value;
        row.push_back(
            e.estimate("accuracy").value && error
                ? fmt::format("{:.2f} ± {:.2f} %", 100 * *e.estimate("accuracy").value, 100 * *error)
                : "-");
        for (const char* key : {"eer", "auc", "tar_at_far_0.01", "tar_at_far_0.001", "tar_at_far_0.0001"}) {
            row.push_back(estimate_text(e.estimate(key)));
        }
        rows.push_back(std::move(row));
    }
    std::string text = format_table(rows);
    if (!evaluations[0].options.threshold) return text;
    rows = {{"at a threshold fixed before", "threshold", "FMR", "FNMR", "HTER", "accuracy"}};
    for (const VerificationEvaluation& e : evaluations) {
        std::vector<std::string> row{e.name, fmt::format("{:.6g}", *e.options.threshold)};
        for (const char* key :
             {"fmr_at_threshold", "fnmr_at_threshold", "hter_at_threshold", "accuracy_at_threshold"}) {
            row.push_back(estimate_text(e.estimate(key)));
        }
        rows.push_back(std::move(row));
    }
    return text + format_table(rows);
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

ExitCode evaluate_verification_command(const VerificationFlags& flags, Console& console) {
    const std::vector<std::string> files = files_of(flags);
    std::vector<AccuracyGate> gates;
    for (const std::string& requirement : flags.common.requirements) gates.push_back(parse_gate(requirement));
    ThreadLimit threads(flags.common.threads);
    VerificationEvaluations evaluations;
    console.stage("evaluating");
    threads.run([&] { evaluations = evaluate_all(flags, files); });
    console.clear_progress();

    const RecognitionReportContext context{flags.common.title,
                                           flags.dataset.value_or(files.size() == 1 ? files[0] : ""),
                                           {},
                                           configuration_of(flags, files)};
    std::string text = summary_table(evaluations);
    Json json;
    json["command"] = "evaluate verification";
    json["exit_code"] = 0;
    if (flags.common.out) {
        const std::filesystem::path page = write_verification_report(*flags.common.out, evaluations, context);
        text += "report: " + page.string() + "\n";
        json["report"] = page.string();
    }
    ExitCode code = ExitCode::done;
    if (!gates.empty()) {
        json["requirements"] = check_gates(gates, verification_report_json(evaluations, context), code);
    }
    json["exit_code"] = static_cast<int>(code);
    json["verification"] = without_curves(verification_to_json(evaluations[0]));
    if (evaluations.size() > 1) {
        json["recognisers"] = Json::array();
        for (const VerificationEvaluation& e : evaluations) {
            json["recognisers"].push_back(
                {{"name", e.name}, {"verification", without_curves(verification_to_json(e))}});
        }
    }
    console.print_summary(text);
    console.print_json(json);
    return code;
}

}  // namespace

Command add_evaluate_verification_command(CLI::App& evaluate_app) {
    CLI::App* app = evaluate_app.add_subcommand(
        "verification", "Evaluate scores of pairs: ROC, DET, EER, TAR at FAR, accuracy by folds, report");
    auto flags = std::make_shared<VerificationFlags>();
    app->footer(footer);
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
    add_recognition_flags(*app, flags->common);
    auto output = add_output_flags(*app);
    return {app, output,
            [flags](Console& console) { return evaluate_verification_command(*flags, console); }};
}

}  // namespace fovea
