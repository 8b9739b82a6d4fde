#include "apps/commands/train/training_flags.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/options/common_options.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"

namespace fovea {
namespace {

void add_out_flag(CLI::App& app, TrainingFlags& flags, const TrainingOutput& output) {
    app.add_option("--out,-o", flags.out, output.help)->type_name("FILE")->group("Output");
}

void require_out(const TrainingFlags& flags, const TrainingOutput& output) {
    if (flags.out.empty())
        throw UsageError(fmt::format("name the {} with --out, e.g. --out {}", output.file, output.example));
}

void check_files(const TrainingFlags& flags) {
    if (flags.resume && !flags.checkpoint)
        throw UsageError("--resume needs --checkpoint, the file to go on from");
    // A training is not to end with a file that cannot be written.
    prepare_output(flags.out, "--out");
    if (flags.checkpoint) prepare_output(*flags.checkpoint, "--checkpoint");
    if (flags.report) check_output_folder(*flags.report, "--report");
    // A training that goes on replaces what is its own.
    if (flags.overwrite || (flags.resume && is_there(*flags.checkpoint))) return;
    refuse_to_replace(flags.out, false);
    if (flags.report) refuse_to_replace(std::filesystem::path(*flags.report) / "training.json", false);
    if (flags.checkpoint && is_there(*flags.checkpoint)) {
        throw UsageError(
            "the checkpoint '" + *flags.checkpoint +
            "' is of an earlier training; go on with it by --resume, or discard it with --overwrite");
    }
}

void fill(const TrainingFlags& flags, TrainingJob& job) {
    job.config_file = flags.config.value_or("");
    job.out = flags.out;
    job.checkpoint = flags.checkpoint.value_or("");
    job.resume = flags.resume;
    job.report = flags.report.value_or("");
    job.threads = flags.threads.value_or(0);
}

}  // namespace

void add_config_file_flags(CLI::App& app, TrainingFlags& flags) {
    app.add_option("--config", flags.config, "JSON configuration of the training")
        ->type_name("FILE")
        ->group("Configuration");
    app.add_flag("--print-config", flags.print_config, "Print the effective configuration and stop")
        ->group("Configuration");
}

void add_training_flags(CLI::App& app, TrainingFlags& flags, const TrainingOutput& output) {
    add_config_file_flags(app, flags);
    add_out_flag(app, flags, output);
    app.add_option("--report", flags.report, "Folder for the training's report")
        ->type_name("DIR")
        ->group("Output");
    app.add_option("--checkpoint", flags.checkpoint,
                   "File that holds the state of the training, for --resume")
        ->type_name("FILE")
        ->group("Output");
    app.add_flag("--resume", flags.resume, "Continue from the checkpoint if there is one")->group("Output");
    add_overwrite_flag(app, flags.overwrite, "a model, report or checkpoint");
    add_threads_flag(app, flags.threads);
}

void add_text_training_flags(CLI::App& app, TrainingFlags& flags, const TrainingOutput& output) {
    add_config_file_flags(app, flags);
    add_out_flag(app, flags, output);
    if (output.replaces) add_overwrite_flag(app, flags.overwrite, "a file");
    add_device_flag(app, flags.device);
    add_threads_flag(app, flags.threads);
}

ExitCode unless_cancelled(Console& console, const std::filesystem::path& checkpoint,
                          const std::function<ExitCode()>& train) {
    try {
        return train();
    } catch (const JobCancelled&) {
        console.clear_progress();
        spdlog::warn("interrupted{}",
                     checkpoint.empty()     ? "; with --checkpoint FILE a training can be resumed"
                     : is_there(checkpoint) ? "; --resume continues from " + checkpoint.string()
                                            : " before the first checkpoint was written: nothing can be "
                                              "resumed, and the training begins anew");
        return ExitCode::interrupted;
    }
}

void fill_job(const TrainingFlags& flags, const TrainingOutput& output, Console&, TrainingJob& job) {
    require_out(flags, output);
    check_files(flags);
    fill(flags, job);
}

void fill_job(const TrainingFlags& flags, const TrainingOutput& output, Console& console,
              TextTrainingJob& job) {
    require_out(flags, output);
    if (flags.out == "-") {
        console.reserve_stdout(std::string("the ") + output.product);
    } else {
        prepare_output(flags.out, "--out");
        if (output.replaces) refuse_to_replace(flags.out, flags.overwrite);
    }
    fill(flags, job);
    job.overwrite = flags.overwrite || !output.replaces;
}

}  // namespace fovea
