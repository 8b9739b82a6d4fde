#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "apps/commands/train/training_command.hpp"
#include "lib/core/text.hpp"
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

TrainingSummary summarise(const CascadeTrainJob& job, const CascadeTrainResult& result) {
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
    Json json = {{"trees", training.cascade.trees.size()},
                 {"stages", stages_to_json(training, result.config)},
                 {"end", end},
                 {"shortfalls", shortfalls},
                 {"data", result.data},
                 {"seconds", result.load_seconds + result.train_seconds}};
    if (result.test) json["test"] = window_test_to_json(*result.test);
    if (!result.sweep.empty()) json["sweep"] = sweep_to_json(result);
    return {std::move(text), std::move(json), result.data.at("unreadable_images").get<int>() == 0};
}

}  // namespace

Command add_train_cascade_command(CLI::App& train) {
    const auto old_format = std::make_shared<bool>(false);
    return add_training_command<CascadeTrainJob, CascadeTrainResult>(
        train, {.name = "cascade",
                .description = "Train a cascade of Haar or LBP features for any object",
                .footer = train_cascade_footer,
                .output = {.example = "cascade.xml", .product = "cascade"},
                .validate = validate_cascade_config,
                .train = train_cascade_job,
                .summarise = summarise,
                .add_flags =
                    [old_format](CLI::App& app) {
                        app.add_flag(
                               "--old-format", *old_format,
                               "Write the format of opencv_haartraining, for programs that read no other")
                            ->group("Output");
                    },
                .adjust = [old_format](const TrainingFlags&,
                                       CascadeTrainJob& job) { job.old_format = *old_format; }});
}

}  // namespace fovea
