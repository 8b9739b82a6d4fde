#include "lib/train/landmarks/train_landmarks.hpp"

#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/training_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

constexpr const char* train_landmarks_footer = R"(Examples:
  fovea train landmarks --config configs/train-landmarks-helen.json --out helen.fvlm --report training/
  fovea train landmarks --dataset dlib:training.xml --trees 100 --depth 3 --out small.fvlm
  fovea train landmarks --config train.json --out mine.fvlm --checkpoint mine.part.fvlm --resume

Trains a landmark model: a cascade of ensembles of regression trees (Kazemi and Sullivan 2014) with
leaves of 8 bits. The same data, settings and seed give the same model for every number of threads.)";

void show(const LandmarkTrainJob& job, const LandmarkTrainingResult& outcome, const Console& console) {
    const LandmarkModel& model = outcome.landmarks.model;
    const LandmarkLevel& last = outcome.levels.back();
    std::string text =
        fmt::format("{} in {} (reading {})\n", counted(model.trees(), "tree"),
                    format_duration(outcome.train_seconds), format_duration(outcome.load_seconds));
    text += fmt::format("NME: {:.4f} on copies of {}", last.training_nme, counted(outcome.faces, "face"));
    if (outcome.validation_faces > 0) {
        for (std::size_t i = 0; i < outcome.sources.size(); ++i) {
            text +=
                fmt::format("{} {:.4f} in {}", i == 0 ? "; validation:" : ",", last.validation_nme[i],
                            outcome.sources[i] == "tight" ? "tight boxes" : "boxes of " + outcome.sources[i]);
        }
    }
    text += "\nmodel: " + job.out.string() + "\n";
    if (!job.report.empty()) text += "report: " + (job.report / "training.html").string() + "\n";
    console.print_summary(text);
    console.print_json({{"command", "train landmarks"},
                        {"exit_code", 0},
                        {"model", job.out.string()},
                        {"points", model.points},
                        {"trees", model.trees()},
                        {"data", outcome.landmarks.training.at("data")},
                        {"nme", landmark_level_to_json(last, outcome.sources)},
                        {"seconds", outcome.load_seconds + outcome.train_seconds}});
}

ExitCode run(const TrainingFlags& flags, Console& console) {
    LandmarkTrainJob job;
    job.config = training_config(flags, load_landmark_train_config, landmark_train_config_from_json);
    if (flags.print_config) {
        std::cout << indented_text(json_of(job.config)) << "\n";
        return ExitCode::done;
    }
    validate_landmark_train_config(job.config);
    fill_job(flags, "model.fvlm", job);

    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    return run_training(console, job.checkpoint, [&] {
        const LandmarkTrainingResult outcome = train_landmarks(job, hooks);
        console.clear_progress();
        show(job, outcome, console);
        return outcome.unreadable > 0 ? ExitCode::inputs_skipped : ExitCode::done;
    });
}

}  // namespace

Command add_train_landmarks_command(CLI::App& train) {
    CLI::App* app =
        train.add_subcommand("landmarks", "Train a cascade of regression trees that finds landmarks");
    auto flags = std::make_shared<TrainingFlags>();
    app->footer(train_landmarks_footer);
    add_training_flags<LandmarkTrainConfig>(*app, *flags);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace fovea
