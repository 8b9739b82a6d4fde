#include "lib/run/compare.hpp"

#include <algorithm>
#include <charconv>
#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/json/json.hpp"
#include "lib/report/comparison/comparison_report.hpp"
#include "lib/run/regression_gate.hpp"
#include "lib/run/report_numbers.hpp"

namespace fovea {
namespace {

constexpr const char* compare_footer = R"(Examples:
  fovea compare baseline/report.json new/report.json --no-worse-than 0.01
  fovea compare baseline/ new/ --at 16fp --out comparison/
  fovea compare out/demo:mct out/demo:haarcascade_frontalface_alt2

A and B are report.json files or their folders; PATH:NAME is one detector of a report. If both folders
hold evaluated.jsonl, the program evaluates both again on the same images: paired bootstrap, McNemar's
test, and the images that changed. In all other cases, and for landmarks and recognition, it compares
the numbers of the reports.

With --no-worse-than T, the exit code is 4 if a number of B is worse than that of A by more than T.
--metric chooses the numbers to judge; the default is all headline numbers.)";

struct CompareFlags {
    std::string first;
    std::string second;
    bool intersection = false;
    std::optional<std::string> at;
    std::optional<double> no_worse_than;
    std::vector<std::string> metrics;
    bool significant = false;
    int resamples = 1000;
    std::uint64_t seed = 1;
    std::optional<std::string> root;
    std::optional<std::string> out;
    std::string title;
    int thumbnails = 24;
    std::optional<int> threads;
};

std::optional<int> operating_point(const std::optional<std::string>& at) {
    if (!at || *at == "all") return std::nullopt;
    if (const std::optional<int> points = false_positives_of("recall@" + *at)) return points;
    throw UsageError("--at '" + *at +
                     "' is no operating point; write 16fp for at most 16 false positives, or all");
}

CompareRequest request_of(const CompareFlags& flags) {
    CompareRequest request;
    request.first = flags.first;
    request.second = flags.second;
    request.intersection = flags.intersection;
    request.at_false_positives = operating_point(flags.at);
    for (const std::string& metric : flags.metrics) {
        if (const auto point = false_positives_of(metric)) request.false_positive_points.push_back(*point);
    }
    request.resamples = flags.resamples;
    request.seed = flags.seed;
    if (flags.root) request.root = *flags.root;
    return request;
}

Json check_regressions(const CompareFlags& flags, const Comparison& comparison, ExitCode& code) {
    const RegressionGate gate{*flags.no_worse_than, flags.metrics, flags.significant};
    Json outcome{{"tolerance", gate.tolerance}, {"significant_only", gate.significant_only}};
    outcome["numbers"] = Json::array();
    const std::vector<GatedNumber> numbers = judge(comparison.numbers, gate);
    for (const GatedNumber& judged : numbers) {
        outcome["numbers"].push_back(
            {{"key", judged.number.key}, {"worse_by", *judged.number.worse_by()}, {"passed", judged.passed}});
    }
    const std::string failure = failure_sentence(numbers, gate, flags.first, flags.second);
    if (!failure.empty()) {
        code = ExitCode::gate_failed;
        print_error("the accuracy gate failed: " + failure);
    }
    outcome["passed"] = code != ExitCode::gate_failed;
    return outcome;
}

void check_flags(const CompareFlags& flags) {
    if (!flags.no_worse_than && (flags.significant || !flags.metrics.empty())) {
        throw UsageError("--metric and --significant belong to --no-worse-than");
    }
    if (flags.no_worse_than && !(*flags.no_worse_than >= 0)) {
        throw UsageError("--no-worse-than takes a number from 0 on");
    }
}

ExitCode compare(const CompareFlags& flags, Console& console) {
    check_flags(flags);
    ThreadLimit threads(flags.threads.value_or(0));
    Comparison comparison;
    threads.run([&] { comparison = compare_reports(request_of(flags)); });
    for (const std::string& warning : comparison.warnings) spdlog::warn("{}", warning);

    ExitCode code = ExitCode::done;
    Json json = comparison_to_json(comparison);
    if (flags.no_worse_than) json["gate"] = check_regressions(flags, comparison, code);
    std::string text = "A: " + flags.first + "\nB: " + flags.second + "\n" + comparison.method + "\n";
    text += format_table(comparison_rows(comparison, false));
    if (comparison.detections) text += faces_sentence(*comparison.detections) + "\n";
    if (flags.out) {
        const ComparisonReportOptions options{flags.title, flags.thumbnails, {}};
        std::filesystem::path page;
        threads.run([&] { page = write_comparison_report(*flags.out, comparison, options); });
        text += "report: " + page.string() + "\n";
        json["report"] = page.string();
    }
    console.print_summary(text);
    json["command"] = "compare";
    json["exit_code"] = static_cast<int>(code);
    console.print_json(json);
    return code;
}

}  // namespace

Command add_compare_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("compare", "Compare two reports: differences, significance, gate");
    auto flags = std::make_shared<CompareFlags>();
    app->footer(compare_footer);
    app->add_option("A", flags->first,
                    "The baseline: report.json or its folder, PATH:NAME for one of several detectors")
        ->type_name("")
        ->required();
    app->add_option("B", flags->second, "The report to compare with A")->type_name("")->required();
    app->add_flag("--intersection", flags->intersection, "Compare the images that both have")
        ->group("Comparison");
    app->add_option("--at", flags->at,
                    "Operating point of the comparison face by face: all (default), or 16fp")
        ->type_name("POINT")
        ->group("Comparison");
    app->add_option("--resamples", flags->resamples, "Bootstrap resamples (default 1000; 0 = no intervals)")
        ->check(CLI::Range(0, 1000000))
        ->type_name("N")
        ->group("Comparison");
    app->add_option("--seed", flags->seed, "Seed of the bootstrap (default 1)")
        ->type_name("N")
        ->group("Advanced");
    app->add_option("--no-worse-than", flags->no_worse_than,
                    "Gate: exit code 4 if B is worse than A by more than T")
        ->type_name("T")
        ->group("Accuracy gate");
    app->add_option("--metric", flags->metrics,
                    "Judge this number only, e.g. ap or recall@16fp; may be repeated")
        ->type_name("KEY")
        ->group("Accuracy gate");
    app->add_flag("--significant", flags->significant,
                  "Fail only where the 95 % interval of the difference excludes 0, too")
        ->group("Accuracy gate");
    app->add_option("--root", flags->root, "Where the images are (default: where the record says)")
        ->type_name("DIR")
        ->group("Advanced");
    app->add_option("--title", flags->title, "Title of the page")->type_name("TEXT")->group("Advanced");
    app->add_option("--thumbnails", flags->thumbnails, "Images that changed shown (default 24)")
        ->check(CLI::Range(0, 1000))
        ->type_name("N")
        ->group("Advanced");
    app->add_option("--out,-o", flags->out, "Folder for compare.json, compare.md, compare.html and plots")
        ->type_name("DIR")
        ->group("Output");
    add_threads_flag(*app, flags->threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return compare(*flags, console); }};
}

}  // namespace fovea
