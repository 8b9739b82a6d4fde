#pragma once

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <type_traits>

#include <CLI/CLI.hpp>

#include "apps/commands/commands.hpp"
#include "apps/commands/train/training_flags.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {

/// The end of a training, told to people and programs.
struct TrainingSummary {
    std::string text{};
    /// Stands behind "command", "exit_code" and the model's file.
    Json members = Json::object();
    /// False if some of the data could not be read.
    bool all_read = true;
    /// True if nothing was written.
    bool interrupted = false;
};

/// A kind of training: the row that its command is made from.
template <class Job, class Result>
struct TrainingKind {
    /// The command behind `train`.
    const char* name;
    const char* description;
    const char* footer;
    TrainingOutput output;
    void (*validate)(const decltype(Job::config)& config);
    Result (*train)(const Job& job, const JobHooks& hooks);
    TrainingSummary (*summarise)(const Job& job, const Result& result);
    /// Adds flags that others have not.
    std::function<void(CLI::App&)> add_flags{};
    /// Takes flags that are no fields of the configuration, or change others.
    std::function<void(const TrainingFlags&, Job&)> adjust{};
};

template <class Job>
constexpr bool writes_text = std::is_base_of_v<TextTrainingJob, Job>;

/// Runs a training: its configuration, outputs, device and hooks, then the training and its summary.
template <class Job, class Result>
ExitCode run_training(const TrainingKind<Job, Result>& kind, const TrainingFlags& flags, Console& console) {
    Job job;
    job.config = training_config<decltype(job.config)>(flags);
    if (kind.adjust) kind.adjust(flags, job);
    if (flags.print_config) {
        std::cout << indented_text(json_of(job.config)) << "\n";
        return ExitCode::done;
    }
    kind.validate(job.config);
    fill_job(flags, kind.output, console, job);
    if constexpr (requires { job.device; }) job.device = open_detection_device(flags.device.value_or("auto"));
    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    return unless_cancelled(console, job.checkpoint, [&] {
        const Result result = kind.train(job, hooks);
        console.clear_progress();
        const TrainingSummary summary = kind.summarise(job, result);
        const ExitCode code = summary.interrupted ? ExitCode::interrupted
                              : summary.all_read  ? ExitCode::done
                                                  : ExitCode::inputs_skipped;
        std::string text = summary.text;
        const bool is_in_file = !summary.interrupted && !(writes_text<Job> && job.out == "-");
        if (is_in_file) text += kind.output.product + (": " + job.out.string()) + "\n";
        if (!job.report.empty()) text += "report: " + (job.report / "training.html").string() + "\n";
        console.print_summary(text);
        Json json{{"command", std::string("train ") + kind.name}, {"exit_code", static_cast<int>(code)}};
        if (!writes_text<Job>) json[kind.output.product] = job.out.string();
        json.update(summary.members);
        console.print_json(json);
        return code;
    });
}

template <class Job, class Result>
Command add_training_command(CLI::App& train, const TrainingKind<Job, Result>& kind) {
    CLI::App* app = train.add_subcommand(kind.name, kind.description);
    auto flags = std::make_shared<TrainingFlags>();
    app->footer(kind.footer);
    flags->fields.add<decltype(Job::config)>(*app);
    if constexpr (writes_text<Job>) {
        add_text_training_flags(*app, *flags, kind.output);
    } else {
        add_training_flags(*app, *flags, kind.output);
        if constexpr (requires(Job job) { job.device; }) add_device_flag(*app, flags->device);
    }
    if (kind.add_flags) kind.add_flags(*app);
    auto output = add_output_flags(*app);
    return {app, output, [kind, flags](Console& console) { return run_training(kind, *flags, console); }};
}

}  // namespace fovea
