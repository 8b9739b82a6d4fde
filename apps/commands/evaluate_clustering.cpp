#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/commands/recognition_tables.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/gate_keeper.hpp"
#include "apps/options/recognition_options.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/threads.hpp"
#include "lib/evaluate/recognition/clustering.hpp"
#include "lib/evaluate/recognition/recognition_json.hpp"
#include "lib/json/json.hpp"
#include "lib/report/recognition/recognition_report.hpp"

namespace fovea {
namespace {

constexpr const char* evaluate_clustering_footer = R"(Examples:
  fovea evaluate clustering --dataset folder:people/ --groups groups.txt --out report/
  fovea evaluate clustering --dataset lfw:DIR --groups people/results.jsonl other.csv --name ours --name theirs
  fovea evaluate clustering --dataset folder:people/ --groups groups.txt --require 'bcubed_f1>=0.9'

--groups reads lines "NAME GROUP", separated by blanks, tabs or commas, of any program, or Fovea's results
whose detections have "person". An image without a line, and a face with "apart" or without "person", is in
no group: it counts as a group of its own. One face of each image counts: the nearest to its middle.
Intervals are over people. Several --groups are compared: "clustering" is the first, and
recognisers[1].clustering the second.)";

struct ClusteringFlags {
    std::optional<std::string> dataset;
    std::vector<std::string> groups;
    RecognitionFlags common;
};

struct JudgedGroups {
    ClusteringEvaluations evaluations;
    std::vector<std::string> warnings;  // of the dataset
};

void check_flags(const ClusteringFlags& flags) {
    if (!flags.dataset)
        throw UsageError("no dataset was given: name one with subjects with --dataset, e.g. folder:people/");
    if (flags.groups.empty()) throw UsageError("no groups were given: name their file with --groups");
}

/// \param inputs  gets the dataset's.
JudgedGroups evaluate_all(const ClusteringFlags& flags, const JobHooks& hooks, InputFiles& inputs) {
    JudgedGroups outcome;
    const std::vector<std::string> names =
        recogniser_names(flags.groups, flags.common.names, "files of groups");
    std::vector<GroupList> lists;
    for (const std::string& file : flags.groups) lists.push_back(read_groups(file));
    const KnownFaces faces = known_faces(read_images(*flags.dataset, flags.common, inputs));
    const ImageNames images(faces.images);
    outcome.warnings = faces.warnings;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        outcome.evaluations.push_back(evaluate_clustering(faces, groups_of(faces, images, lists[i]),
                                                          {flags.common.resamples, flags.common.seed},
                                                          names[i], share_hook(hooks, i, lists.size())));
        for (const std::string& warning : outcome.evaluations.back().warnings)
            spdlog::warn("{}: {}", names[i], warning);
    }
    for (const std::string& warning : outcome.warnings) spdlog::warn("{}", warning);
    return outcome;
}

Json configuration_of(const ClusteringFlags& flags) {
    Json json;
    json["dataset"] = *flags.dataset;
    json["groups"] = flags.groups;
    json["resamples"] = flags.common.resamples;
    json["seed"] = flags.common.seed;
    return json;
}

ExitCode evaluate_clustering_command(const ClusteringFlags& flags, Console& console) {
    check_flags(flags);
    const std::vector<AccuracyGate> gates = gates_of(flags.common);
    if (flags.common.out)
        check_report_folder(*flags.common.out, configuration_of(flags), flags.common.overwrite);
    InputFiles inputs = inputs_of(flags.common, flags.groups);
    ThreadLimit threads(flags.common.threads.value_or(0));
    JudgedGroups outcome;
    console.stage("evaluating");
    JobHooks hooks;
    hooks.progress = [&console](const JobProgress& progress) { console.progress(progress); };
    threads.run([&] { outcome = evaluate_all(flags, hooks, inputs); });
    console.clear_progress();

    GateKeeper gate_keeper(gates, flags.common.gate, "clustering");
    const auto no_record = [] { return std::string(); };
    const RecognitionReportContext context{flags.common.title,          *flags.dataset,      outcome.warnings,
                                           configuration_of(flags),     report_origin_now(), {},
                                           gate_keeper.judge(no_record)};
    RecognitionSummary told{"evaluate clustering", format_tables(clustering_summary(outcome.evaluations)),
                            clustering_report_json(outcome.evaluations, context), Json::object()};
    add_recogniser_numbers(told.numbers, "clustering", outcome.evaluations, clustering_to_json);
    return finish_recognition(
        flags.common, gate_keeper, no_record, std::move(told),
        [&] {
            return write_clustering_report({*flags.common.out, inputs}, outcome.evaluations, context);
        },
        console);
}

}  // namespace

Command add_evaluate_clustering_command(CLI::App& evaluate_app) {
    CLI::App* app = evaluate_app.add_subcommand(
        "clustering", "Evaluate groups of faces of any program: B-cubed and pairwise F1, report");
    auto flags = std::make_shared<ClusteringFlags>();
    app->footer(evaluate_clustering_footer);
    app->add_option("--dataset", flags->dataset, "Dataset with subjects, FORMAT:PATH")
        ->type_name("DATASET")
        ->group("Images");
    app->add_option("--groups", flags->groups, "Groups of the dataset's faces; several are compared")
        ->type_name("FILE")
        ->group("Evaluation");
    add_recognition_flags(*app, flags->common);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return evaluate_clustering_command(*flags, console); }};
}

}  // namespace fovea
