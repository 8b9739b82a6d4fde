#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/options/accuracy_gate.hpp"
#include "apps/options/baseline_gate.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/gate_keeper.hpp"
#include "apps/options/max_unreadable.hpp"
#include "lib/files/input_files.hpp"
#include "lib/report/page/late_report.hpp"
#include "lib/run/detection/evaluate_results.hpp"

namespace fovea {

/// The flags that the commands that evaluate results on a dataset have in common.
struct ResultsFlags {
    std::optional<std::string> dataset;
    DatasetFlags images;
    std::vector<std::string> results;
    std::vector<std::string> names;
    std::vector<std::string> requirements;
    BaselineFlags gate;
    ReportFlags report;
    std::optional<UnreadableLimit> max_unreadable;
    ConfigFlags common;
    bool overwrite = false;
};

// Each of these adds flags to a subcommand; `flags` must outlive it.
/// \param dataset_help the help of the dataset's argument.
void add_results_flags(CLI::App& app, ResultsFlags& flags, const std::string& dataset_help);
/// Adds --require, --no-worse-than with its flags, and --max-unreadable. \param form of
/// --require: "KEY>=VALUE".
void add_requirement_flag(CLI::App& app, ResultsFlags& flags, const std::string& form);
/// Adds --resamples and --seed, with the configuration's defaults.
void add_resample_flags(CLI::App& app, std::optional<int>& resamples, std::optional<std::uint64_t>& seed);
/// Adds --resamples and --seed to commands without a configuration, with the defaults 1,000 and 1.
void add_resample_flags(CLI::App& app, int& resamples, std::uint64_t& seed);
void add_report_flags(CLI::App& app, ResultsFlags& flags);

/// The configuration with the flags on top, without a run's output folder. \param dataset flags.dataset, or
/// another one that the command makes of it.
RunConfig start_config(const ResultsFlags& flags, const std::optional<std::string>& dataset);

/// The results with the given names, or their files' names. \param specifications flags.results, or others
/// that the command makes of them. \throws UsageError if there are none, or the numbers of names and
/// results differ.
std::vector<NamedResults> named_results(const ResultsFlags& flags,
                                        const std::vector<std::string>& specifications);
/// Names results. \param names none, or one for each. \param what the things that are named, for
/// messages: "results".
/// \throws UsageError if there are none, or the numbers of names and results differ.
std::vector<NamedResults> named_results(const std::vector<std::string>& specifications,
                                        const std::vector<std::string>& names, const char* what);

/// The files that an evaluation reads besides the dataset and the results.
InputFiles inputs_of(const ResultsFlags& flags, const RunConfig& config);

/// The gates of --require. \throws UsageError as parse_gate().
std::vector<AccuracyGate> gates_of(const ResultsFlags& flags);

/// Ends a command that evaluated results: lets the gates judge unless they judged a report, and prints the
/// summary and, for programs, the numbers.
/// \param summary  without the line of the report
/// \param numbers  the report's; an interrupted evaluation has none, and its gates neither hold nor fail
/// \param record   gives the record of the evaluation
/// \return `code`, or gate_failed. \throws as GateKeeper::finish(); after printing, the report's failure
ExitCode finish_evaluation(const std::string& command, const ResultsFlags& flags, ExitCode code,
                           bool interrupted, const LateReport& report, GateKeeper& gates,
                           const std::string& summary, Json numbers, const GateKeeper::RecordText& record,
                           const Console& console);

/// The last line of a summary: the report's path, or that an interruption left none; empty without a report.
std::string report_line(bool interrupted, const std::optional<std::filesystem::path>& report);

/// The exit code of evaluations: interrupted, or inputs_skipped if an image was unreadable or had no results.
/// The faces of such an image count as missed, so the numbers are valid, but not for the whole dataset.
template <class Evaluation>
ExitCode exit_code_of(const std::vector<Evaluation>& evaluations, bool interrupted) {
    if (interrupted) return ExitCode::interrupted;
    for (const Evaluation& evaluation : evaluations) {
        if (evaluation.images_unreadable + evaluation.images_missing > 0) return ExitCode::inputs_skipped;
    }
    return ExitCode::done;
}

/// The images that were unreadable or had no results, in the evaluation with the most.
template <class Evaluation>
LostInputs lost_inputs(const std::vector<Evaluation>& evaluations) {
    LostInputs most;
    for (const Evaluation& evaluation : evaluations) {
        const auto lost = static_cast<std::size_t>(evaluation.images_unreadable + evaluation.images_missing);
        if (lost >= most.unreadable) most = {lost, static_cast<std::size_t>(evaluation.images)};
    }
    return most;
}

}  // namespace fovea
