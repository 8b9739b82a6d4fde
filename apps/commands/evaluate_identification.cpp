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

namespace fovea {
namespace {

constexpr const char* evaluate_identification_footer = R"(Examples:
  fovea evaluate identification --gallery feret:fa.srt --probes feret:fb.srt --recogniser lbp --out report/
  fovea evaluate identification --gallery feret:fa.srt --probes feret:fb.srt --scores scores.txt --out report/
  fovea evaluate identification --subjects subjects.txt --scores a.csv b.csv --distance --permutations 10000

With --recogniser the program finds, describes and compares the faces itself. A face that it does not
find is a failure to enroll. OUT/scores.csv gets the distances, OUT/run.json the settings.

--scores reads lines "PROBE GALLERY SCORE", or a CSV matrix with the gallery's names in the first row
and the probe's name before its scores. --subjects reads lines "NAME SUBJECT [gallery|probe]". Images
without any score are failures to enroll. --permutations needs the scores of all images with all
others, as --gallery and --probes of one dataset. With several --scores, "identification" is the first
and recognisers[1].identification the second.)";

struct IdentificationFlags {
    std::optional<std::string> gallery;
    std::optional<std::string> probes;
    std::optional<std::string> subjects;
    std::vector<std::string> scores;
    int permutations = 0;
    int enrolled = 1;
    int folds = 0;
    RecogniserFlags recogniser;
    RecognitionFlags common;
};

PermutationOptions permutation_options(const IdentificationFlags& flags) {
    PermutationOptions options;
    options.permutations = flags.permutations;
    options.enrolled = flags.enrolled;
    options.folds = flags.folds;
    options.seed = flags.common.seed;
    return options;
}

void check_flags(const IdentificationFlags& flags) {
    if (flags.scores.empty())
        throw UsageError("no scores were given: name them with --scores, or a --recogniser that makes them");
    const bool datasets = flags.gallery && flags.probes;
    if (flags.gallery.has_value() != flags.probes.has_value()) {
        throw UsageError("--gallery and --probes go together; they may be the same dataset");
    }
    if (datasets == flags.subjects.has_value()) {
        throw UsageError("give either --gallery and --probes, or --subjects");
    }
}

std::optional<PermutationEvaluation> permute(const IdentificationFlags& flags, const IdentificationSet& set,
                                             const std::vector<SimilarityMatrix>& matrices,
                                             std::vector<std::string>& warnings) {
    if (flags.permutations == 0) return std::nullopt;
    const ReplicateImages images = replicate_images(set);
    if (images.subjects.empty()) {
        throw UsageError(
            "--permutations needs scores of all images with all others: no image is both in the gallery and "
            "a probe");
    }
    const std::size_t left_out = set.probes.size() + set.gallery.size() - 2 * images.subjects.size();
    if (left_out > 0) {
        warnings.push_back(counted(left_out, "image") +
                           " that are only in the gallery or only probes take no part in the permutations.");
    }
    std::vector<SimilarityMatrix> parts;
    for (const SimilarityMatrix& matrix : matrices) parts.push_back(selected(matrix, images));
    return evaluate_permutations(images.subjects, parts, permutation_options(flags));
}

SearchResult evaluate_all(const IdentificationFlags& flags, const JobHooks& hooks, InputFiles& inputs) {
    SearchResult outcome;
    const std::vector<std::string> names = recogniser_names(flags.scores, flags.common.names);
    std::vector<ScoreList> lists;
    for (const std::string& file : flags.scores) lists.push_back(read_scores(file));
    const IdentificationSet set =
        flags.subjects ? identification_set(read_subjects(*flags.subjects), lists, outcome.warnings)
                       : identification_set(read_images(*flags.gallery, flags.common, inputs),
                                            read_images(*flags.probes, flags.common, inputs));
    std::vector<SimilarityMatrix> matrices;
    for (const ScoreList& list : lists)
        matrices.push_back(similarity_matrix(set, list, flags.common.distance));
    const IdentificationOptions options{flags.common.distance, flags.common.resamples, flags.common.seed};
    for (std::size_t i = 0; i < lists.size(); ++i) {
        outcome.evaluations.push_back(
            evaluate_identification(set, matrices[i], options, names[i], share_hook(hooks, i, lists.size())));
        for (const std::string& warning : outcome.evaluations.back().warnings) {
            spdlog::warn("{}: {}", names[i], warning);
        }
    }
    outcome.permutations = permute(flags, set, matrices, outcome.warnings);
    for (const std::string& warning : outcome.warnings) spdlog::warn("{}", warning);
    return outcome;
}

Json configuration_of(const IdentificationFlags& flags) {
    Json json;
    if (flags.gallery) json["gallery"] = *flags.gallery;
    if (flags.probes) json["probes"] = *flags.probes;
    if (flags.subjects) json["subjects"] = *flags.subjects;
    json["scores"] = flags.scores;
    json["distance"] = flags.common.distance;
    json["permutations"] = flags.permutations;
    json["enrolled"] = flags.enrolled;
    json["folds"] = flags.folds;
    json["resamples"] = flags.common.resamples;
    json["seed"] = flags.common.seed;
    return json;
}

// Finds, describes and compares the faces itself.
ExitCode recognise_searches(const IdentificationFlags& flags, Console& console) {
    if (!flags.scores.empty() || flags.subjects) {
        throw UsageError("--recogniser makes the scores itself; leave out --scores and --subjects");
    }
    if (!flags.gallery || !flags.probes) {
        throw UsageError("--recogniser needs --gallery and --probes; they may be the same dataset");
    }
    RecognitionConfig config;
    config.gallery = *flags.gallery;
    config.probes = {*flags.probes};
    config.permutations = permutation_options(flags);
    return run_recognition_command("evaluate identification", config, flags.recogniser, flags.common,
                                   console);
}

ExitCode evaluate_identification_command(const IdentificationFlags& flags, Console& console) {
    check_recogniser_flags(flags.recogniser);
    if (flags.permutations == 0 && (flags.enrolled > 1 || flags.folds > 0)) {
        throw UsageError(
            "--enrolled and --folds say what a permutation is: ask for some with --permutations");
    }
    if (flags.enrolled > 1 && flags.folds > 0) {
        throw UsageError("--enrolled and --folds exclude each other: with folds, all but one are enrolled");
    }
    if (!flags.recogniser.recognisers.empty()) return recognise_searches(flags, console);
    check_flags(flags);
    const std::vector<AccuracyGate> gates = gates_of(flags.common);
    if (flags.common.out)
        check_report_folder(*flags.common.out, configuration_of(flags), flags.common.overwrite);
    InputFiles inputs = inputs_of(flags.common, flags.scores);
    if (flags.subjects) inputs.add(*flags.subjects);
    ThreadLimit threads(flags.common.threads.value_or(0));
    SearchResult outcome;
    console.stage("evaluating");
    JobHooks hooks;
    hooks.progress = [&console](const JobProgress& progress) { console.progress(progress); };
    threads.run([&] { outcome = evaluate_all(flags, hooks, inputs); });
    console.clear_progress();

    GateKeeper gate_keeper(gates, flags.common.gate, "identification");
    const auto units = [&] { return identification_units_text(outcome.evaluations); };
    const RecognitionReportContext context{
        flags.common.title,      flags.probes.value_or(flags.subjects.value_or("")),
        outcome.warnings,        configuration_of(flags),
        report_origin_now(),     {},
        gate_keeper.judge(units)};
    RecognitionSummary told{"evaluate identification",
                            format_tables(identification_summary(outcome.evaluations, outcome.permutations)),
                            identification_report_json(outcome.evaluations, outcome.permutations, context),
                            Json::object()};
    add_recogniser_numbers(told.numbers, "identification", outcome.evaluations, identification_to_json);
    if (outcome.permutations) told.numbers["permutation"] = told.report["permutation"];
    return finish_recognition(
        flags.common, gate_keeper, units, std::move(told),
        [&] {
            return write_identification_report({*flags.common.out, inputs}, outcome.evaluations,
                                               outcome.permutations, context);
        },
        console);
}

}  // namespace

Command add_evaluate_identification_command(CLI::App& evaluate_app) {
    CLI::App* app = evaluate_app.add_subcommand(
        "identification",
        "Evaluate a recogniser, or scores of any, in a gallery: CMC, rank k, open set, permutations, report");
    auto flags = std::make_shared<IdentificationFlags>();
    app->footer(evaluate_identification_footer);
    app->add_option("--gallery", flags->gallery, "Dataset with subjects, FORMAT:PATH")
        ->type_name("DATASET")
        ->group("Images");
    app->add_option("--probes", flags->probes, "Dataset with subjects; may be that of the gallery")
        ->type_name("DATASET")
        ->group("Images");
    app->add_option("--subjects", flags->subjects, "Who is in which image, instead of datasets")
        ->type_name("FILE")
        ->group("Images");
    app->add_option("--scores", flags->scores, "Scores of probes with gallery images; several are compared")
        ->type_name("FILE")
        ->group("Evaluation");
    app->add_option("--permutations", flags->permutations,
                    "Random choices of gallery and probes (CSU's protocol: 10000); 0 = none")
        ->check(CLI::Range(0, 10000000))
        ->type_name("N")
        ->capture_default_str()
        ->group("Evaluation");
    app->add_option(
           "--enrolled", flags->enrolled,
           "Gallery images of each subject in a permutation; with more than one, all others are probes")
        ->check(CLI::Range(1, 1000000))
        ->type_name("N")
        ->capture_default_str()
        ->group("Evaluation");
    app->add_option(
           "--folds", flags->folds,
           "Deal each subject's images to K folds instead; each is the probes once in K permutations")
        ->check(CLI::Range(2, 1000000))
        ->type_name("K")
        ->group("Evaluation");
    add_recogniser_flags(*app, flags->recogniser);
    add_distance_flag(*app, flags->common);
    add_recognition_flags(*app, flags->common);
    auto output = add_output_flags(*app);
    return {app, output,
            [flags](Console& console) { return evaluate_identification_command(*flags, console); }};
}

}  // namespace fovea
