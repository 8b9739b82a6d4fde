#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "kernels/core/stopwatch.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/threads.hpp"
#include "lib/device/detection_device.hpp"
#include "lib/files/input_files.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The files of a training, and how much of the machine it takes.
struct TrainingJob {
    /// The file of the configuration; empty if there is none.
    std::filesystem::path config_file{};
    /// The model; "-": standard output, for products that are texts.
    std::filesystem::path out{};
    /// Empty: no checkpoint is kept.
    std::filesystem::path checkpoint{};
    /// Continue from the checkpoint if it is there.
    bool resume = false;
    /// The report's folder; empty: no report is written.
    std::filesystem::path report{};
    /// 0: all cores.
    int threads = 0;
};

/// A training whose product is a text, which takes minutes: it keeps no checkpoint and writes no report.
struct TextTrainingJob : TrainingJob {
    bool overwrite = false;  ///< the product replaces a file that is there
    DetectionDevice device;
};

/// Writes the product of a training: see publish(). \param inputs which it must not replace.
void publish_product(const TextTrainingJob& job, const std::string& text, const InputFiles& inputs);

/// Tells that a stage of a training begins. \return a watch that starts now.
Stopwatch begin_timed(const JobHooks& hooks, const std::string& stage);

/// A round for the hooks. \param text its sentence. \param record the round as checkpoints and reports have
/// it: the round has all of its numbers.
JobRound round_of(std::string text, const Json& record);

/// Checks, at the beginning of a training, that its report can be drawn at the end, hours later.
/// \param report its folder; empty = none. \throws UsageError if the folder may not be written to; Error
/// without gnuplot.
void check_training_report(const std::filesystem::path& report);

/// Runs a training on the job's threads. \return what `train` returns. \throws as check_training_report;
/// what `train` throws.
template <class Train>
auto run_training_job(const TrainingJob& job, const Train& train) {
    check_training_report(job.report);
    decltype(train()) result;
    ThreadLimit(job.threads).run([&] { result = train(); });
    return result;
}

/// Checks, for a training that has read its data, that its outputs do not replace its inputs hours later.
/// \param inputs the data; the file of the configuration is added. \throws UsageError if the model or the
/// checkpoint is one of them, or both are one file.
void check_training_outputs(const TrainingJob& job, InputFiles& inputs);

/// Ends a training whose model is written: writes the report if one is wanted, then removes the
/// checkpoint. If the report fails, model and checkpoint stay. \throws Error that says so; what else
/// `write_report` throws.
void finish_training(const TrainingJob& job, const std::function<void()>& write_report);

}  // namespace fovea
