#include "lib/train/mct/train_mct.hpp"

#include <spdlog/fmt/fmt.h>

#include "apps/commands/train/training_command.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

constexpr const char* train_mct_footer = R"(Examples:
  fovea train mct --config configs/train-mct-frontal.json --out mct.json --report training/
  fovea train mct --positives pts:helen --backgrounds folder:backgrounds --out mine.json
  fovea train mct --config train.json --out mine.json --checkpoint mine.part.json --resume

Trains a face detector: a cascade of look-up tables on the modified census transform (Froba and Ernst
2004). The same data, settings and seed give the same model on every device and for every number of
threads.)";

TrainingSummary summarise(const TrainJob&, const MctTrainingResult& outcome) {
    const MctCascade& cascade = outcome.model.cascade;
    const ValidationCurve& curve = outcome.validation;
    std::string text =
        fmt::format("{} in {} (reading {}, validating {})\n", counted(cascade.lookups.size(), "look-up"),
                    format_duration(outcome.train_seconds), format_duration(outcome.load_seconds),
                    format_duration(outcome.validate_seconds));
    text += fmt::format("validation: {} of {} faces at 5, {} at 10, {} at 50 false positives in {}\n",
                        fmt::format("{:.1f} %", 100 * curve.rate_at(5)), curve.faces,
                        fmt::format("{:.1f} %", 100 * curve.rate_at(10)),
                        fmt::format("{:.1f} %", 100 * curve.rate_at(50)),
                        counted(static_cast<std::size_t>(curve.backgrounds), "background"));
    return {std::move(text),
            {{"lookups", cascade.lookups.size()},
             {"coarse_lookups", cascade.coarse_lookups()},
             {"data", outcome.data},
             {"validation", validation_to_json(curve)},
             {"seconds", outcome.load_seconds + outcome.train_seconds + outcome.validate_seconds}},
            outcome.data.at("unreadable_images").get<int>() == 0};
}

// Positives stand in for all configured faces.
void adjust(const TrainingFlags& flags, TrainJob& job) {
    if (flags.fields.has("datasets")) job.config.strips.clear();
}

}  // namespace

Command add_train_mct_command(CLI::App& train) {
    return add_training_command<TrainJob, MctTrainingResult>(
        train, {.name = "mct",
                .description = "Train a cascade on the modified census transform",
                .footer = train_mct_footer,
                .output = {.example = "mct.json"},
                .validate = validate_train_config,
                .train = train_mct,
                .summarise = summarise,
                .adjust = adjust});
}

}  // namespace fovea
