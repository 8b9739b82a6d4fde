#include "lib/train/thresholds/train_thresholds.hpp"

#include <spdlog/fmt/fmt.h>

#include "apps/commands/train/training_command.hpp"
#include "apps/options/recogniser_flags.hpp"
#include "lib/core/text.hpp"
#include "lib/numbers/number_text.hpp"

namespace fovea {
namespace {

constexpr const char* train_thresholds_footer = R"(Examples:
  fovea train thresholds --dataset lfw:DIR --recogniser mine.json --out mine-measured.json
  fovea train thresholds --dataset folder:people/ --recogniser lbp --out lbp-here.json

Compares all faces of a dataset with each other, and writes a copy of the recogniser's file with the
distances at which given shares of the pairs of two people are accepted (false accept rates, FAR).
'fovea identify' takes its threshold from there. A rate is measured where at least 10 pairs of two
people are accepted at it.

Use people that the recogniser was not tuned on. Weights that were learned in folds are an exception: a
pair is compared with the weights that have not seen its subjects.)";

std::string summary_text(const ThresholdTrainingResult& outcome) {
    if (outcome.interrupted) return "interrupted: no thresholds were written\n";
    const FarThresholds& thresholds = outcome.thresholds;
    std::string text = fmt::format("{}: {} pairs of two people, {} of one\n", thresholds.origin,
                                   grouped(static_cast<long long>(thresholds.impostor_pairs)),
                                   grouped(static_cast<long long>(thresholds.genuine_pairs)));
    std::vector<std::vector<std::string>> rows{{"FAR of a pair", "distance", "true accept rate"}};
    for (const FarThreshold& point : thresholds.points) {
        rows.push_back({fmt::format("{:g} %", 100 * point.far), fmt::format("{:.6g}", point.distance),
                        percent(point.tar, 2)});
    }
    return text + format_table(rows);
}

TrainingSummary summarise(const ThresholdTrainJob& job, const ThresholdTrainingResult& outcome) {
    warn_failures(outcome);
    Json json;
    add_recognition_json(json, outcome);
    if (!outcome.interrupted) {
        json["thresholds"] = json_of(outcome.thresholds);
        if (job.out != "-") json["out"] = job.out.string();
    }
    return {summary_text(outcome), std::move(json), outcome.failures.empty(), outcome.interrupted};
}

}  // namespace

Command add_train_thresholds_command(CLI::App& train) {
    return add_training_command<ThresholdTrainJob, ThresholdTrainingResult>(
        train,
        {.name = "thresholds",
         .description = "Measure a recogniser's thresholds at false accept rates",
         .footer = train_thresholds_footer,
         .output =
             {.example = "mine.json",
              .product = "recogniser",
              .file = "file of the recogniser with thresholds",
              .help = "File of the recogniser with thresholds, another than its own; '-' is standard output"},
         .validate = validate_threshold_train_config,
         .train = train_thresholds,
         .summarise = summarise});
}

}  // namespace fovea
