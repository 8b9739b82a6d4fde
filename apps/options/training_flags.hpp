#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "apps/terminal/console.hpp"
#include "lib/core/error.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace fovea {

/// Flags of all trainings.
struct TrainingFlags {
    std::optional<std::string> config;
    bool print_config = false;
    std::optional<std::size_t> seed;
    std::string out;
    std::optional<std::string> checkpoint;
    bool resume = false;
    std::optional<std::string> report;
    std::optional<int> threads;
};

/// The job was interrupted; what there is lies in the checkpoint.
struct TrainingInterrupted {};

/// Adds the flags; `flags` must outlive the subcommand. \param seed what it is the seed of.
void add_training_flags(CLI::App& app, TrainingFlags& flags, const std::string& seed);

/// Says how to go on. \param checkpoint empty if none is kept.
ExitCode end_interrupted(Console& console, const std::filesystem::path& checkpoint);

/// \param example a model's file. \throws UsageError if the model's file or the checkpoint to resume is not named.
void check_training_flags(const TrainingFlags& flags, const std::string& example);

/// What the flags say of files and threads, into the job of a training. \throws UsageError as check_training_flags.
template <class Job>
void fill_job(const TrainingFlags& flags, const std::string& example, Job& job) {
    check_training_flags(flags, example);
    job.out = flags.out;
    job.checkpoint = flags.checkpoint.value_or("");
    job.resume = flags.resume;
    job.report = flags.report.value_or("");
    job.threads = flags.threads.value_or(0);
}

}  // namespace fovea
