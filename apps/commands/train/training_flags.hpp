#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "apps/options/field_flags.hpp"
#include "apps/terminal/cli_fwd.hpp"
#include "apps/terminal/console.hpp"
#include "lib/core/error.hpp"
#include "lib/train/config_file.hpp"
#include "lib/train/training_job.hpp"

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
    std::optional<std::string> device;  ///< of trainings on GPUs
};

/// The file that a training writes, in help and messages.
struct TrainingOutput {
    const char* example;                ///< "mct.json"
    const char* product = "model";      ///< in summaries
    const char* file = "model's file";  ///< "name the FILE with --out"
    const char* help = "File of the model";
    bool replaces = true;  ///< only with --overwrite
};

/// Adds --config and --print-config; `flags` must outlive the subcommand.
void add_config_file_flags(CLI::App& app, TrainingFlags& flags);

// Each adds the flags that do not depend on the configuration; `flags` must outlive the subcommand.

/// Without --device.
void add_training_flags(CLI::App& app, TrainingFlags& flags, const TrainingOutput& output);
void add_text_training_flags(CLI::App& app, TrainingFlags& flags, const TrainingOutput& output);

/// The configuration of the file, or the defaults, with the flags on top. \throws as load_training_config.
template <class Config>
Config training_config(const TrainingFlags& flags) {
    Config config = flags.config ? load_training_config<Config>(*flags.config) : Config();
    flags.fields.apply(config, FlagPaths::as_they_are);
    return config;
}

/// Runs a training. If it throws JobCancelled, a message says how to go on. \return the exit code.
/// \param checkpoint empty if none is kept.
ExitCode unless_cancelled(Console& console, const std::filesystem::path& checkpoint,
                          const std::function<ExitCode()>& train);

/// Puts the flags of files and threads into the job of a training. \throws UsageError if the model's file, or
/// the checkpoint to resume, is not named or its folder may not be written to, or a file would be replaced.
void fill_job(const TrainingFlags& flags, const TrainingOutput& output, Console& console, TrainingJob& job);
/// Fills the job of a text, which may go to standard output: it is reserved then. \throws UsageError as
/// above, and with --json if both would go there.
void fill_job(const TrainingFlags& flags, const TrainingOutput& output, Console& console,
              TextTrainingJob& job);

}  // namespace fovea
