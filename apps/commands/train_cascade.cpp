#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/training_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/train/cascade/train_cascade_job.hpp"

namespace fovea {
namespace {

constexpr const char* train_cascade_footer = R"(Examples:
  fovea train cascade --positives voc:cars --backgrounds folder:streets --width 40 --height 20 --out cars.xml
  fovea train cascade --positives vec:faces.vec --backgrounds folder:scenes --features lbp --out faces.xml
  fovea train cascade --config train.json --out mine.xml --checkpoint mine.part.json --resume

Trains a boosted cascade of Haar or LBP features for any object. cv::CascadeClassifier and 'fovea detect'
run the file. The same data, settings and seed give the same cascade on every device and for every number
of threads.)";

struct TrainCascadeFlags {
    TrainingFlags training;
    std::optional<std::string> device;
    bool old_format = false;
};

std::string stage_line(const CascadeTrainerResult& result) {
    const CascadeStageResult& stage = result.stages.back();
    return fmt::format(
        "stage {}: {}, hits {:.2f} %, false alarms {:.1f} % of {} negatives ({:.2g} of all "
        "windows){}",
        result.stages.size(), counted(stage.trees, "tree"), 100 * stage.hit_rate, 100 * stage.false_alarm,
        stage.negatives, stage.pass_rate, stage.ran_dry ? "; the backgrounds have no more" : "");
}

void show_training(const CascadeTrainJob& job, const CascadeTrainResult& result, const Console& console) {
    const CascadeTrainerResult& training = result.training;
    std::string text =
        fmt::format("{}, {} in {} (reading {})\n", counted(training.stages.size(), "stage"),
                    counted(training.cascade.trees.size(), "tree"), format_duration(result.train_seconds),
                    format_duration(result.load_seconds));
    if (training.flat_positives > 0) {
        text += fmt::format(
            "{} without contrast (deviation of 10 grey levels or less): Haar cascades never "
            "find them\n",
            counted(training.flat_positives, "positive"));
    }
    const std::string end = reason_of_end(training, job.config);
    if (!end.empty()) text += "ended early: " + end + "\n";
    text += "cascade: " + job.out.string() + "\n";
    if (!job.report.empty()) text += "report: " + (job.report / "training.html").string() + "\n";
    console.print_summary(text);
    Json stages = Json::array();
    for (const CascadeStageResult& stage : training.stages) stages.push_back(cascade_stage_to_json(stage));
    console.print_json({{"command", "train cascade"},
                        {"exit_code", 0},
                        {"cascade", job.out.string()},
                        {"trees", training.cascade.trees.size()},
                        {"stages", std::move(stages)},
                        {"end", end},
                        {"data", result.data},
                        {"seconds", result.load_seconds + result.train_seconds}});
}

ExitCode run_train_cascade(const TrainCascadeFlags& flags, Console& console) {
    CascadeTrainJob job;
    job.config = training_config(flags.training, load_cascade_config, cascade_config_from_json);
    if (flags.training.print_config) {
        std::cout << cascade_config_to_json(job.config).dump(2) << "\n";
        return ExitCode::done;
    }
    validate_cascade_config(job.config);
    fill_job(flags.training, "cascade.xml", job);
    job.old_format = flags.old_format;
    job.device = open_detection_device(flags.device.value_or("auto"));

    const InterruptGuard interrupt;
    CascadeTrainHooks hooks;
    set_training_hooks(hooks, console, interrupt);
    hooks.stage_done = [](const CascadeTrainerResult& result) { spdlog::info("{}", stage_line(result)); };
    return run_training(console, job.checkpoint, [&] {
        const CascadeTrainResult result = train_cascade_job(job, hooks);
        console.clear_progress();
        show_training(job, result, console);
        return result.data.at("unreadable_images").get<int>() > 0 ? ExitCode::inputs_skipped : ExitCode::done;
    });
}

}  // namespace

Command add_train_cascade_command(CLI::App& train) {
    CLI::App* app = train.add_subcommand("cascade", "Train a cascade of Haar or LBP features for any object");
    auto flags = std::make_shared<TrainCascadeFlags>();
    app->footer(train_cascade_footer);
    add_training_flags<CascadeTrainConfig>(*app, flags->training);
    app->add_flag("--old-format", flags->old_format,
                  "Write the format of opencv_haartraining, for programs that read no other")
        ->group("Output");
    add_device_flag(*app, flags->device);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return run_train_cascade(*flags, console); }};
}

}  // namespace fovea
