#include <cmath>
#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/training_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/train/cascade/train_cascade_job.hpp"

namespace fovea {
namespace {

constexpr const char* train_cascade_footer = R"(Examples:
  fovea train cascade --positives voc:cars --backgrounds folder:streets --width 40 --height 20 --out cars.xml
  fovea train cascade --positives vec:faces.vec --backgrounds folder:scenes --features lbp --out faces.xml
  fovea train cascade --config train.json --sweep max_false_alarm=0.30:0.95:0.05 --out best.xml

Trains a boosted cascade of Haar or LBP features for any object. cv::CascadeClassifier and 'fovea detect'
run the file. The same data, settings and seed give the same cascade on every device and for every number
of threads. A sweep trains one cascade for each value and tests them on windows of files that are kept apart
(--test-share, --test-positives, --test-backgrounds).)";

struct TrainCascadeFlags {
    TrainingFlags training;
    std::optional<std::string> device;
    bool old_format = false;
};

/// One row a cascade, the best with a star.
std::string sweep_table(const CascadeTrainResult& result) {
    std::vector<std::vector<std::string>> rows{{result.sweep[0].field, "stages", "trees", "TP", "FP", "TN",
                                                "FN", "accuracy", "precision", "recall", "F1"}};
    for (std::size_t i = 0; i < result.sweep.size(); ++i) {
        const SweepPoint& point = result.sweep[i];
        const WindowTestResult& test = point.test;
        rows.push_back({point.value.text + (i == result.best ? " *" : ""),
                        std::to_string(point.training.stages.size()),
                        std::to_string(point.training.cascade.trees.size())});
        for (const std::size_t count :
             {test.true_positives, test.false_positives, test.true_negatives, test.false_negatives})
            rows.back().push_back(point.is_trained() ? std::to_string(count) : "-");
        for (const double share : {test.accuracy(), test.precision(), test.recall(), test.f1()})
            rows.back().push_back(std::isfinite(share) ? fmt::format("{:.3f}", share) : "-");
    }
    return format_table(rows);
}

std::string sweep_summary(const CascadeTrainJob& job, const CascadeTrainResult& result) {
    const SweepPoint& best = result.sweep[result.best];
    return sweep_table(result) + fmt::format("* best F1: {} is {}\ntable: {}\n", job.out.string(),
                                             best.out.string(), sweep_table_path(job.out).string());
}

void show_training(const CascadeTrainJob& job, const CascadeTrainResult& result, const Console& console) {
    const CascadeTrainerResult& training = result.training;
    std::string text;
    if (!result.sweep.empty()) text += sweep_summary(job, result);
    text += fmt::format("{}, {}; {} (reading {})\n", counted(training.stages.size(), "stage"),
                        counted(training.cascade.trees.size(), "tree"), format_duration(result.train_seconds),
                        format_duration(result.load_seconds));
    if (training.flat_positives > 0) {
        text += fmt::format(
            "{} without contrast (deviation of 10 grey levels or less): Haar cascades never "
            "find them\n",
            counted(training.flat_positives, "positive"));
    }
    const std::vector<std::string> shortfalls = shortfalls_of(training, result.config);
    for (const std::string& shortfall : shortfalls) text += shortfall + "\n";
    if (!shortfalls.empty()) {
        text += fmt::format("these stages let pass more than max_false_alarm ({:.1f} %): {}\n",
                            100 * result.config.stages.max_false_alarm, shortfall_advice);
    }
    const std::string end = reason_of_end(training, result.config);
    if (!end.empty()) text += "ended early: " + end + "\n";
    if (result.test) text += "test: " + window_test_sentence(*result.test) + "\n";
    text += "cascade: " + job.out.string() + "\n";
    if (!job.report.empty()) text += "report: " + (job.report / "training.html").string() + "\n";
    console.print_summary(text);
    Json json = {{"command", "train cascade"},
                 {"exit_code", 0},
                 {"cascade", job.out.string()},
                 {"trees", training.cascade.trees.size()},
                 {"stages", stages_to_json(training, result.config)},
                 {"end", end},
                 {"shortfalls", shortfalls},
                 {"data", result.data},
                 {"seconds", result.load_seconds + result.train_seconds}};
    if (result.test) json["test"] = window_test_to_json(*result.test);
    if (!result.sweep.empty()) json["sweep"] = sweep_to_json(result);
    console.print_json(json);
}

ExitCode run_train_cascade(const TrainCascadeFlags& flags, Console& console) {
    CascadeTrainJob job;
    job.config = training_config(flags.training, load_cascade_config, cascade_config_from_json);
    if (flags.training.print_config) {
        std::cout << indented_text(json_of(job.config)) << "\n";
        return ExitCode::done;
    }
    validate_cascade_config(job.config);
    fill_job(flags.training, "cascade.xml", job);
    job.old_format = flags.old_format;
    job.device = open_detection_device(flags.device.value_or("auto"));

    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
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
