#include "apps/options/results_flags.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/options/junit.hpp"
#include "lib/core/error.hpp"
#include "lib/report/stored/compare.hpp"

namespace fovea {

void add_results_flags(CLI::App& app, ResultsFlags& flags, const std::string& dataset_help) {
    app.add_option("--dataset", flags.dataset, dataset_help)->type_name("DATASET")->group("Images");
    add_dataset_flags(app, flags.images);
    app.add_option("--results", flags.results, "Results to evaluate; several are compared")
        ->type_name("RESULTS")
        ->group("Evaluation");
    add_report_flags(app, flags.report);
    app.add_option("--name", flags.names,
                   "Names of the results, for legends (default: the detector's by run.json, or the file's)")
        ->type_name("NAME")
        ->group("Evaluation");
}

void add_requirement_flag(CLI::App& app, ResultsFlags& flags, const std::string& form) {
    app.add_option("--require", flags.requirements, "Exit code 4 if this does not hold; may be repeated")
        ->type_name(form)
        ->group("Accuracy gate");
    add_baseline_flags(app, flags.gate);
    add_max_unreadable_flag(app, flags.max_unreadable, "Accuracy gate");
}

namespace {

template <class Resamples, class Seed>
void add_resamples(CLI::App& app, Resamples& resamples, Seed& seed) {
    app.add_option("--resamples", resamples,
                   fmt::format("Bootstrap resamples for the 95 % intervals; 0 = none (default {})",
                               DetectionEvaluationOptions{}.bootstrap_resamples))
        ->check(CLI::Range(0, 1'000'000))
        ->type_name("N")
        ->group("Evaluation");
    app.add_option(
           "--seed", seed,
           fmt::format("Seed of all random draws (default {})", DetectionEvaluationOptions{}.bootstrap_seed))
        ->type_name("N")
        ->group("Evaluation");
}

}  // namespace

void add_resample_flags(CLI::App& app, std::optional<int>& resamples, std::optional<std::uint64_t>& seed) {
    add_resamples(app, resamples, seed);
}

void add_resample_flags(CLI::App& app, int& resamples, std::uint64_t& seed) {
    add_resamples(app, resamples, seed);
}

void add_report_flags(CLI::App& app, ResultsFlags& flags) {
    add_config_flags(app, flags.common);
    add_threads_flag(app, flags.common.threads);
    app.add_option("--out,-o", flags.common.out, "Folder for the report (default: no report, numbers only)")
        ->type_name("DIR")
        ->group("Output");
    add_overwrite_flag(app, flags.overwrite, "a report of other work");
}

RunConfig start_config(const ResultsFlags& flags, const std::optional<std::string>& dataset) {
    RunConfig config = start_config(flags.common);
    if (dataset) set_images({*dataset}, config.dataset);
    apply(flags.images, config.dataset);
    apply(flags.report, config.report);
    // A run's report would be overwritten without having been named.
    if (!flags.common.out) config.output.clear();
    return config;
}

std::vector<NamedResults> named_results(const ResultsFlags& flags,
                                        const std::vector<std::string>& specifications) {
    if (specifications.empty()) throw UsageError("no results were given: name them with --results");
    return named_results(specifications, flags.names, "results");
}

std::vector<NamedResults> named_results(const std::vector<std::string>& specifications,
                                        const std::vector<std::string>& names, const char* what) {
    std::vector<NamedResults> results = name_results(specifications);
    if (names.empty()) return results;
    if (names.size() != results.size()) {
        throw UsageError(fmt::format("there are {} names for {} {}; give one --name for each", names.size(),
                                     results.size(), what));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].empty()) throw UsageError("--name: a name is empty");
        if (std::count(names.begin(), names.end(), names[i]) > 1)
            throw UsageError("--name: two results are called '" + names[i] + "'");
        results[i].name = names[i];
    }
    return results;
}

InputFiles inputs_of(const ResultsFlags& flags, const RunConfig& config) {
    InputFiles inputs;
    inputs.add(config.file);
    if (flags.gate.baseline) add_inputs_of_report(*flags.gate.baseline, inputs);
    return inputs;
}

std::vector<AccuracyGate> gates_of(const ResultsFlags& flags) {
    std::vector<AccuracyGate> gates;
    for (const std::string& requirement : flags.requirements) gates.push_back(parse_gate(requirement));
    return gates;
}

ExitCode finish_evaluation(const std::string& command, const ResultsFlags& flags, ExitCode code,
                           bool interrupted, const LateReport& report, GateKeeper& gates,
                           const std::string& summary, Json numbers, const GateKeeper::RecordText& record,
                           const Console& console) {
    // A gate is for all results: with some of them missing it neither holds nor fails.
    if (interrupted) numbers = Json::object();
    Json verdicts = Json::object();
    if (!interrupted) gates.finish(numbers, record, verdicts, code);
    console.print_summary(summary + report_line(interrupted, report.page));

    numbers["command"] = command;
    numbers["exit_code"] = static_cast<int>(report.code(code));
    if (report.page) numbers["report"] = report.page->string();
    numbers["interrupted"] = interrupted;
    numbers.update(verdicts);
    write_junit(flags.gate.junit, numbers);
    console.print_json(numbers);
    report.rethrow();
    return code;
}

std::string report_line(bool interrupted, const std::optional<std::filesystem::path>& report) {
    if (interrupted) return "interrupted: no report was written\n";
    return report ? "report: " + report->string() + "\n" : "";
}

}  // namespace fovea
