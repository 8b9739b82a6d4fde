#include "lib/train/training_job.hpp"

#include <system_error>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/publish.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/report/plots/gnuplot.hpp"

namespace fovea {
namespace {

void add_numbers(const std::string& path, const Json& json, JobRound& round) {
    if (json.is_number()) round.numbers.emplace_back(path, json.get<double>());
    if (!json.is_object()) return;
    for (const auto& [key, member] : json.items())
        add_numbers(path.empty() ? key : path + "." + key, member, round);
}

}  // namespace

void publish_product(const TextTrainingJob& job, const std::string& text, const InputFiles& inputs) {
    publish({false, {{"", text}}}, job.out, job.overwrite, inputs);
}

Stopwatch begin_timed(const JobHooks& hooks, const std::string& stage) {
    hooks.begin_stage(stage);
    return {};
}

JobRound round_of(std::string text, const Json& record) {
    JobRound round{.text = std::move(text)};
    add_numbers("", record, round);
    return round;
}

void check_training_report(const std::filesystem::path& report) {
    if (report.empty()) return;
    check_output_folder(report, "--report");
    report::require_gnuplot();
}

void check_training_outputs(const TrainingJob& job, InputFiles& inputs) {
    inputs.add(job.config_file);
    inputs.refuse_clashes(std::vector<PlannedOutput>{{job.out, "model"}, {job.checkpoint, "checkpoint"}});
}

void finish_training(const TrainingJob& job, const std::function<void()>& write_report) {
    try {
        if (!job.report.empty()) write_report();
    } catch (const Error& error) {
        std::string why = error.what();
        if (!why.ends_with('.')) why += '.';
        throw Error("The model " + job.out.string() +
                    " is written, but not the report of its training: " + why +
                    (is_file(job.checkpoint) ? " The checkpoint " + job.checkpoint.string() +
                                                   " stays: --resume goes on from it to the report."
                                             : " Train again for a report."));
    }
    std::error_code ignored;
    if (!job.checkpoint.empty()) std::filesystem::remove(job.checkpoint, ignored);
}

}  // namespace fovea
