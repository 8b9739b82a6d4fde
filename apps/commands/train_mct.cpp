#include "lib/train/mct/train_mct.hpp"

#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/training_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

constexpr const char* train_mct_footer = R"(Examples:
  fovea train mct --config configs/train-mct-frontal.json --out mct.json --report training/
  fovea train mct --positives pts:helen --backgrounds folder:backgrounds --out mine.json
  fovea train mct --config train.json --out mine.json --checkpoint mine.part.json --resume

Trains a face detector: a cascade of look-up tables on the modified census transform (Froba and Ernst
2004). The same data, settings and seed give the same model on every device and for every number of
threads.)";

struct TrainFlags {
    TrainingFlags training;
    std::optional<std::string> device;
};

TrainConfig effective_config(const TrainingFlags& flags) {
    TrainConfig config = training_config(flags, load_train_config, train_config_from_json);
    // Positives stand in for all configured faces.
    if (flags.fields.has("datasets")) config.strips.clear();
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
    job.config = effective_config(flags.training);
    if (flags.training.print_config) {
        std::cout << indented_text(json_of(job.config)) << "\n";
        return ExitCode::done;
    }
    validate_train_config(job.config);
    fill_job(flags.training, "mct.json", job);
    job.device = open_detection_device(flags.device.value_or("auto"));

    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    return run_training(console, job.checkpoint, [&] {
        const MctTrainingResult outcome = train_mct(job, hooks);
        console.clear_progress();
        show(job, outcome, console);
        return outcome.data.at("unreadable_images").get<int>() > 0 ? ExitCode::inputs_skipped
                                                                   : ExitCode::done;
    });
}

}  // namespace

Command add_train_mct_command(CLI::App& train) {
    CLI::App* app = train.add_subcommand("mct", "Train a cascade on the modified census transform");
    auto flags = std::make_shared<TrainFlags>();
    app->footer(train_mct_footer);
    add_training_flags<TrainConfig>(*app, flags->training);
    add_device_flag(*app, flags->device);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace fovea
