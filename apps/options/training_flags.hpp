#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "apps/options/field_flags.hpp"
#include "apps/terminal/cli_fwd.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// Flags of all trainings.
struct TrainingFlags {
    std::optional<std::string> config;
    bool print_config = false;
    FieldFlags fields;  ///< of the training's configuration
    std::string out;
    std::optional<std::string> checkpoint;
    bool resume = false;
    bool overwrite = false;
    std::optional<std::string> report;
    std::optional<int> threads;
};

/// Adds the flags that do not depend on the configuration; `flags` must outlive the subcommand.
void add_common_training_flags(CLI::App& app, TrainingFlags& flags);

/// Adds all flags of a training; `flags` must outlive the subcommand.
template <class Config>
void add_training_flags(CLI::App& app, TrainingFlags& flags) {
    flags.fields.add<Config>(app);
    add_common_training_flags(app, flags);
}

/// The configuration of the file, or the defaults, with the flags on top.
/// \param load reads a file. \param parse makes a configuration from JSON. Their exceptions pass through.
template <class Config>
Config training_config(const TrainingFlags& flags, Config (*load)(const std::filesystem::path&),
                       Config (*parse)(const Json&)) {
    Config config = flags.config ? load(*flags.config) : parse(Json::object());
    flags.fields.apply(config, FlagPaths::as_they_are);
    return config;
}

/// Runs a training. If it throws JobCancelled, a message says how to go on. \return the exit code.
/// \param checkpoint empty if none is kept.
ExitCode run_training(Console& console, const std::filesystem::path& checkpoint,
                      const std::function<ExitCode()>& train);

/// Checks the flags of files. \param example of a model's file, for messages. \throws UsageError if the
/// model's file, or the checkpoint to resume, is not named or its folder may not be written to.
void check_training_flags(const TrainingFlags& flags, const std::string& example);

/// Puts the flags of files and threads into the job of a training. \throws UsageError
/// as check_training_flags().
template <class Job>
void fill_job(const TrainingFlags& flags, const std::string& example, Job& job) {
    check_training_flags(flags, example);
    job.config_file = flags.config.value_or("");
    job.out = flags.out;
    job.checkpoint = flags.checkpoint.value_or("");
    job.resume = flags.resume;
    job.report = flags.report.value_or("");
    job.threads = flags.threads.value_or(0);
}

}  // namespace fovea
