#include "lib/report/stored/compare.hpp"

#include <algorithm>
#include <charconv>
#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/baseline_gate.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/junit.hpp"
#include "apps/options/results_flags.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/output_guard.hpp"
#include "lib/json/json.hpp"
#include "lib/report/comparison/comparison_report.hpp"
#include "lib/report/page/late_report.hpp"

namespace fovea {
namespace {

constexpr const char* compare_footer = R"(Examples:
  fovea compare baseline/ new/ --at 16fp --out comparison/
  fovea compare demo/:mct demo/:haarcascade_frontalface_alt2
  fovea compare new/ --no-worse-than baseline/ --tolerance 0.01

A and B are report.json files or their folders; PATH:NAME is one detector or recogniser of a report. If
both folders hold evaluated.jsonl, the program evaluates both again on the same images: paired bootstrap,
McNemar's test, and the images that changed. Landmarks, verification and identification are paired
if both folders hold units.jsonl of the same faces, pairs or probes. In all other cases the numbers
of the reports are compared.

--no-worse-than gives the baseline A, and the one report named beside it is B: the exit code is 4 if a
number of B is worse than that of A by more than --tolerance. --metric chooses the numbers to judge, ap
or wild.ap for that of the detector "wild"; the default is all headline numbers.)";

struct CompareFlags {
    std::string first;
    std::optional<std::string> second;
    bool intersection = false;
    std::string at = "all";
    BaselineFlags gate;
    int resamples = 1000;
    std::uint64_t seed = 1;
    std::optional<std::string> root;
    std::optional<std::string> out;
    bool overwrite = false;
    std::string title;
    int thumbnails = 24;
    std::optional<int> threads;
};

/// The two reports, and the loss that the gate allows; none without a gate.
struct Sides {
    std::string first;
    std::string second;
    std::optional<double> tolerance;
};

// "--no-worse-than 0.01" was the tolerance before it was the baseline.
std::optional<double> old_tolerance(const std::string& baseline) {
    double value = 0;
    const char* const end = baseline.data() + baseline.size();
    const auto [stop, error] = std::from_chars(baseline.data(), end, value);
    if (error != std::errc{} || stop != end || is_there(baseline)) return std::nullopt;
    return value;
}

Sides sides_of(const CompareFlags& flags) {
    if (!flags.gate.baseline) {
        check_baseline_flags(flags.gate);
        if (!flags.second) {
            throw UsageError(
                "name two reports, A and B, or one with its baseline: fovea compare NEW "
                "--no-worse-than BASELINE; fovea trend shows many reports over time");
        }
        return {flags.first, *flags.second, std::nullopt};
    }
    const std::optional<double> old = old_tolerance(*flags.gate.baseline);
    if (old && flags.second) {
        if (!(*old >= 0)) throw UsageError("--tolerance takes a number from 0 on");
        if (flags.gate.tolerance) {
            throw UsageError(
                "--no-worse-than takes the baseline: fovea compare NEW --no-worse-than BASELINE "
                "--tolerance T");
        }
        spdlog::warn("--no-worse-than T will go: write fovea compare {} --no-worse-than {} --tolerance {}",
                     *flags.second, flags.first, *flags.gate.baseline);
        return {flags.first, *flags.second, old};
    }
    check_baseline_flags(flags.gate);
    if (flags.second) {
        throw UsageError(
            "--no-worse-than gives the baseline, so name one report beside it: fovea compare NEW "
            "--no-worse-than BASELINE");
    }
    return {*flags.gate.baseline, flags.first, flags.gate.tolerance.value_or(0)};
}

CompareRequest request_of(const CompareFlags& flags, const Sides& sides) {
    CompareRequest request;
    request.first = sides.first;
    request.second = sides.second;
    request.intersection = flags.intersection;
    request.at = operating_point_choice(flags.at);
    request.false_positive_points = flags.gate.points();
    request.resamples = flags.resamples;
    request.seed = flags.seed;
    request.with_bands = flags.out.has_value();
    if (flags.root) request.root = *flags.root;
    return request;
}

ExitCode compare(const CompareFlags& flags, Console& console) {
    const Sides sides = sides_of(flags);
    const CompareRequest request = request_of(flags, sides);
    if (flags.out) check_output_folder(*flags.out, "--out");
    const StoredReport first = read_report(sides.first, true), second = read_report(sides.second, true);
    if (flags.out) {
        refuse_other_report(std::filesystem::path(*flags.out) / "compare.json",
                            compared_sides(first, second, request), flags.overwrite);
    }
    ThreadLimit threads(flags.threads.value_or(0));
    Comparison comparison;
    threads.run([&] { comparison = compare_reports(first, second, request); });
    for (const std::string& warning : comparison.warnings) spdlog::warn("{}", warning);

    ExitCode code = ExitCode::done;
    Json json = comparison_to_json(comparison);
    if (sides.tolerance) {
        const RegressionGate gate{*sides.tolerance, flags.gate.metrics, flags.gate.significant};
        threads.run(
            [&] { json["gate"] = check_regressions(first, second, request, gate, code, &comparison); });
    }
    std::string text = "A: " + sides.first + "\nB: " + sides.second + "\n";
    for (const SettingDifference& setting : comparison.settings) {
        text += "differs: " + setting.name + " is " + setting.a + " in A and " + setting.b + " in B\n";
    }
    text += format_tables({comparison_table(comparison)});
    if (comparison.detections) text += faces_sentence(*comparison.detections) + "\n";
    LateReport written;
    if (flags.out) {
        const ComparisonReportOptions options{flags.title, flags.thumbnails, {}, verdicts_of(json)};
        InputFiles inputs;
        for (const std::string& side : {sides.first, sides.second}) add_inputs_of_report(side, inputs);
        threads.run([&] {
            written.write([&] { return write_comparison_report({*flags.out, inputs}, comparison, options); });
        });
    }
    if (written.page) {
        text += "report: " + written.page->string() + "\n";
        json["report"] = written.page->string();
    }
    console.print_summary(text);
    json["command"] = "compare";
    json["exit_code"] = static_cast<int>(written.code(code));
    write_junit(flags.gate.junit, json);
    console.print_json(json);
    written.rethrow();
    return code;
}

}  // namespace

Command add_compare_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("compare", "Compare two reports: differences, significance, gate");
    auto flags = std::make_shared<CompareFlags>();
    app->footer(compare_footer);
    app->add_option("A", flags->first,
                    "The baseline: report.json or its folder, PATH:NAME for one of several detectors; with "
                    "--no-worse-than the report to judge")
        ->type_name("")
        ->required();
    app->add_option("B", flags->second, "The report to compare with A; left out with --no-worse-than")
        ->type_name("");
    app->add_flag("--intersection", flags->intersection, "Compare the images that both have")
        ->group("Comparison");
    app->add_option("--at", flags->at,
                    "Operating point of the comparison face by face; Nfp: at most N false positives")
        ->type_name(operating_point_forms)
        ->capture_default_str()
        ->group("Comparison");
    add_resample_flags(*app, flags->resamples, flags->seed);
    add_baseline_flags(*app, flags->gate);
    app->add_option("--root", flags->root, "Where the images are (default: where the record says)")
        ->type_name("DIR")
        ->group("Advanced");
    app->add_option("--title", flags->title, "Title of the page")->type_name("TEXT")->group("Advanced");
    app->add_option("--thumbnails", flags->thumbnails,
                    fmt::format("Images that changed shown (default {})", flags->thumbnails))
        ->check(CLI::Range(0, 1000))
        ->type_name("N")
        ->group("Advanced");
    app->add_option("--out,-o", flags->out, "Folder for compare.json, compare.md, compare.html and plots")
        ->type_name("DIR")
        ->group("Output");
    add_overwrite_flag(*app, flags->overwrite, "a comparison of other reports");
    add_threads_flag(*app, flags->threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return compare(*flags, console); }};
}

}  // namespace fovea
