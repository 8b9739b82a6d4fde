#include "lib/train/mct/train_mct.hpp"

#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/training_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

constexpr const char* train_mct_footer = R"(Examples:
  fovea train mct --config configs/train-mct-frontal.json --out mct.json --report out/training
  fovea train mct --positives pts:helen --backgrounds folder:backgrounds --out mine.json
  fovea train mct --config train.json --out mine.json --checkpoint mine.part.json --resume

Trains a face detector: a cascade of look-up tables on the modified census transform (Froba and Ernst 2004).
The same data, settings and seed give the same model on every device and for every number of threads.)";

struct TrainFlags {
    TrainingFlags training;
    std::vector<std::string> positives;
    std::vector<std::string> backgrounds;
    std::optional<std::string> cascade;
    std::optional<int> lookups;
    std::optional<std::size_t> negatives;
    std::optional<std::string> device;
};

TrainConfig effective_config(const TrainFlags& flags) {
    TrainConfig config = flags.training.config ? load_train_config(*flags.training.config)
                                               : train_config_from_json(Json::object());
    if (!flags.positives.empty()) {
        config.datasets = flags.positives;
        config.strips.clear();
    }
    if (!flags.backgrounds.empty()) config.backgrounds = flags.backgrounds;
    if (flags.cascade)
        config.cascade.kind = *flags.cascade == "staged" ? CascadeKind::staged : CascadeKind::soft;
    if (flags.lookups) config.cascade.lookups = *flags.lookups;
    if (flags.negatives) config.negatives.count = *flags.negatives;
    if (flags.training.seed) config.seed = *flags.training.seed;
    return config;
}

void show(const TrainJob& job, const MctTrainingResult& outcome, const Console& console) {
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
    text += "model: " + job.out.string() + "\n";
    if (!job.report.empty()) text += "report: " + (job.report / "training.html").string() + "\n";
    console.print_summary(text);
    console.print_json(
        {{"command", "train mct"},
         {"exit_code", 0},
         {"model", job.out.string()},
         {"lookups", cascade.lookups.size()},
         {"coarse_lookups", cascade.coarse_lookups()},
         {"data", outcome.data},
         {"validation", validation_to_json(curve)},
         {"seconds", outcome.load_seconds + outcome.train_seconds + outcome.validate_seconds}});
}

ExitCode run(const TrainFlags& flags, Console& console) {
    TrainJob job;
    job.config = effective_config(flags);
    if (flags.training.print_config) {
        std::cout << train_config_to_json(job.config).dump(2) << "\n";
        return ExitCode::done;
    }
    validate_train_config(job.config);
    fill_job(flags.training, "mct.json", job);
    job.device = open_detection_device(flags.device.value_or("auto"));

    const InterruptGuard interrupt;
    TrainRunHooks hooks;
    hooks.stage = [&](const std::string& stage) { console.stage(stage); };
    hooks.progress = [&](std::size_t done, std::size_t total) {
        if (interrupt.flag()->load()) throw TrainingInterrupted{};
        console.progress({done, total, 0});
    };
    hooks.step = [&](const TrainingStep& step) {
        if (step.windows_searched == 0) return;
        spdlog::debug("{} look-ups: {:.2f} % of the validation faces, {:.2g} of all windows", step.lookups,
                      100 * step.validation_kept, step.pass_rate * step.negatives_kept);
    };
    try {
        const MctTrainingResult outcome = train_mct(job, hooks);
        console.clear_progress();
        show(job, outcome, console);
        return outcome.data.at("unreadable_images").get<int>() > 0 ? ExitCode::inputs_skipped
                                                                   : ExitCode::done;
    } catch (const TrainingInterrupted&) {
        return end_interrupted(console, job.checkpoint);
    }
}

}  // namespace

Command add_train_mct_command(CLI::App& train) {
    CLI::App* app = train.add_subcommand("mct", "Train a cascade on the modified census transform");
    auto flags = std::make_shared<TrainFlags>();
    app->footer(train_mct_footer);
    app->add_option("--positives", flags->positives,
                    "Datasets of faces with eye coordinates, instead of the configured ones")
        ->type_name("DATASET...")
        ->group("Data");
    app->add_option("--backgrounds", flags->backgrounds,
                    "Datasets without faces, instead of the configured ones")
        ->type_name("DATASET...")
        ->group("Data");
    app->add_option("--cascade", flags->cascade,
                    "soft: a threshold after every look-up; staged: Froba and Ernst's stages")
        ->check(CLI::IsMember({"soft", "staged"}))
        ->group("Training");
    app->add_option("--lookups", flags->lookups, "Look-ups of a soft cascade")
        ->type_name("N")
        ->group("Training");
    app->add_option("--negatives", flags->negatives, "Windows trained against at a time")
        ->type_name("N")
        ->group("Training");
    add_training_flags(*app, flags->training, "Seed of jitter and mining");
    add_device_flag(*app, flags->device);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace fovea
