#include "lib/healthcheck/healthcheck.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/job/inspect_images.hpp"
#include "lib/json/json.hpp"
#include "lib/results/formats/landmark_results.hpp"

namespace fovea {
namespace {

constexpr const char* healthcheck_footer = R"(Examples:
  fovea healthcheck mit-cmu:DIR
  fovea healthcheck dlib:testing.xml --results results.jsonl
  fovea healthcheck --train folder:train --test folder:test

Finds missing, unreadable and duplicate images; boxes that have no area, are duplicates or leave the
image; eyes and landmarks outside their box. In results it finds unknown and missing images, unsorted
and tied scores, and the same faults of boxes. In two datasets it finds subjects and images that stand
in both.

The exit code is 0 if it found nothing, 3 if it found something.)";

struct HealthFlags {
    std::optional<std::string> dataset;
    std::optional<std::string> results;
    std::optional<std::string> against;
    std::optional<std::string> train;
    std::optional<std::string> test;
    bool no_images = false;
    DatasetFlags images;
};

struct CheckedDataset {
    Dataset dataset;
    std::vector<ImageFacts> facts;
};

/// The datasets to be checked; of two, what they share is wrong.
std::vector<std::string> specifications(const HealthFlags& flags) {
    if (flags.train.has_value() != flags.test.has_value()) {
        throw UsageError("--train and --test go together: name both datasets");
    }
    if (flags.train) {
        if (flags.dataset || flags.against || flags.results) {
            throw UsageError(
                "--train and --test name the datasets; DATASET, --against and --results do not go with "
                "them");
        }
        return {*flags.train, *flags.test};
    }
    if (!flags.dataset) throw UsageError("no dataset was given: name a DATASET, or --train and --test");
    if (flags.against) return {*flags.dataset, *flags.against};
    return {*flags.dataset};
}

CheckedDataset read_and_inspect(const std::string& specification, const HealthFlags& flags,
                                const JobHooks& hooks, bool& interrupted) {
    DatasetConfig images;
    flags.images.apply(images, FlagPaths::as_they_are);
    const DatasetOptions options{images.pattern, images.limit, images.root, frame_selection(images)};
    // The reader's warnings are findings: read_configured_dataset would print them besides.
    CheckedDataset checked{read_dataset(specification, options), {}};
    ImageInspection inspection = inspect_images(checked.dataset, !flags.no_images, hooks);
    checked.facts = std::move(inspection.facts);
    interrupted = interrupted || inspection.interrupted;
    return checked;
}

void append(std::vector<Finding>& all, std::vector<Finding> more) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
}

std::string example(const Finding& finding) {
    const std::string detail = excerpt(finding.detail, 200);
    return finding.image.empty() ? detail : excerpt(finding.image, 200) + " (" + detail + ")";
}

/// Kind, count and the first examples, one line a kind.
std::string table_of(const std::vector<Finding>& findings) {
    constexpr std::size_t shown = 3;
    std::map<FindingKind, std::vector<const Finding*>> by_kind;
    for (const Finding& finding : findings) by_kind[finding.kind].push_back(&finding);
    std::size_t title_width = 0;
    std::size_t count_width = 0;
    for (const auto& [kind, list] : by_kind) {
        title_width = std::max(title_width, finding_title(kind).size());
        count_width = std::max(count_width, std::to_string(list.size()).size());
    }
    std::string text;
    for (const auto& [kind, list] : by_kind) {
        std::string examples;
        for (std::size_t i = 0; i < std::min(shown, list.size()); ++i) {
            examples += (i > 0 ? "; " : "") + example(*list[i]);
        }
        if (list.size() > shown) examples += "; ...";
        text += fmt::format("{:<{}}  {:>{}}  {}\n", finding_title(kind), title_width, list.size(),
                            count_width, examples);
    }
    return text;
}

Json findings_json(const std::vector<Finding>& findings) {
    Json list = Json::array();
    for (const Finding& finding : findings) {
        Json json{{"kind", finding_name(finding.kind)}, {"source", finding.source}};
        if (!finding.image.empty()) json["image"] = finding.image;
        json["detail"] = finding.detail;
        list.push_back(std::move(json));
    }
    return list;
}

Json counts_json(const std::vector<Finding>& findings) {
    Json counts = Json::object();
    for (const FindingKind kind : all_finding_kinds()) {
        counts[std::string(finding_name(kind))] = std::count_if(
            findings.begin(), findings.end(), [&](const Finding& finding) { return finding.kind == kind; });
    }
    return counts;
}

ExitCode healthcheck(const HealthFlags& flags, Console& console) {
    const std::vector<std::string> names = specifications(flags);
    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    std::vector<CheckedDataset> checked;
    std::vector<Finding> findings;
    bool interrupted = false;
    std::size_t images = 0;
    Json datasets = Json::array();
    for (const std::string& name : names) {
        if (interrupted) break;
        checked.push_back(read_and_inspect(name, flags, hooks, interrupted));
        const Dataset& dataset = checked.back().dataset;
        images += dataset.samples.size();
        datasets.push_back(
            {{"name", name}, {"images", dataset.samples.size()}, {"faces", dataset.face_count()}});
        if (!interrupted) append(findings, check_dataset(dataset, checked.back().facts));
    }
    if (!interrupted && flags.results) {
        append(findings, check_results(read_landmark_results(*flags.results, checked[0].dataset),
                                       *flags.results, checked[0].dataset, checked[0].facts));
    }
    if (!interrupted && checked.size() == 2) {
        append(findings,
               check_overlap(checked[0].dataset, checked[0].facts, checked[1].dataset, checked[1].facts));
    }
    console.clear_progress();
    const ExitCode code = interrupted        ? ExitCode::interrupted
                          : findings.empty() ? ExitCode::done
                                             : ExitCode::inputs_skipped;
    console.print_summary(interrupted
                              ? std::string("interrupted: nothing can be said\n")
                              : fmt::format("{}{}: {}{}\n", table_of(findings), counted(images, "image"),
                                            findings.empty() ? std::string("no fault was found")
                                                             : counted(findings.size(), "finding"),
                                            flags.no_images ? "; the images were not read" : ""));
    Json json{{"command", "healthcheck"}, {"exit_code", static_cast<int>(code)}, {"datasets", datasets}};
    if (flags.results) json["results"] = *flags.results;
    json["images_read"] = !flags.no_images;
    json["interrupted"] = interrupted;
    json["counts"] = counts_json(findings);
    json["findings"] = findings_json(findings);
    console.print_json(json);
    return code;
}

}  // namespace

Command add_healthcheck_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("healthcheck", "Find faults in datasets and results");
    auto flags = std::make_shared<HealthFlags>();
    app->footer(healthcheck_footer);
    app->add_option("DATASET", flags->dataset, "Dataset, FORMAT:PATH or a path")->type_name("");
    app->add_option("--results", flags->results, "Results of the dataset's images, checked as well")
        ->type_name("RESULTS")
        ->group("Input");
    app->add_option("--against", flags->against, "Second dataset, which must share no subject and no image")
        ->type_name("DATASET")
        ->group("Input");
    app->add_option("--train", flags->train, "Training set; with --test, instead of DATASET and --against")
        ->type_name("DATASET")
        ->group("Input");
    app->add_option("--test", flags->test, "Test set")->type_name("DATASET")->group("Input");
    app->add_flag("--no-images", flags->no_images,
                  "Do not open the images: neither unreadable nor duplicate ones are found, and boxes "
                  "outside only where the annotation or the results state the size")
        ->group("Input");
    add_dataset_flags(*app, flags->images);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return healthcheck(*flags, console); }};
}

}  // namespace fovea
