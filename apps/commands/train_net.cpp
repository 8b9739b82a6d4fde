#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/training_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/text.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/train/face_net/train_face_net_job.hpp"

namespace fovea {
namespace {

constexpr const char* train_net_footer = R"(Examples:
  fovea train net --config configs/train-wild.json --out wild.json --report training/
  fovea train net --config train.json --steps 2000 --out mine.json --checkpoint mine.part --resume

Trains a small convolutional network that finds faces of all sizes and poses in one pass, on photographs
with boxes, and quantises it to 8 bits. The same data, settings and seed give the same model for
every number of threads.)";

struct NetFlags {
    TrainingFlags training;
};

void show(const FaceNetTrainJob& job, const FaceNetTrainResult& result, ExitCode code,
          const Console& console) {
    const FaceNetProgress last = result.losses.empty() ? FaceNetProgress{} : result.losses.back();
    std::string text = fmt::format("{} in {} (reading {}); loss of odds {:.3f}, of boxes {:.3f}\n",
                                   counted(last.step, "step"), format_duration(result.train_seconds),
                                   format_duration(result.load_seconds), last.odds_loss, last.box_loss);
    for (const FaceNetJudgement& judgement : result.judgements) {
        const DetectionEvaluation& evaluation = judgement.evaluation;
        const ConfusionCounts& counts = judgement.analysis.operating_point.detections;
        text += fmt::format(
            "kept out: {} in {} of {}: AP {:.3f}; at score {}: {:.1f} % found, precision {:.1f} %\n",
            counted(static_cast<std::size_t>(evaluation.faces), "face"),
            counted(static_cast<std::size_t>(evaluation.images), "photograph"), evaluation.name,
            evaluation.value("average_precision"), kept_score, 100 * counts.recall().value_or(0),
            100 * counts.precision().value_or(0));
    }
    text += "model: " + job.out.string() + "\n";
    if (!job.report.empty()) text += "report: " + (job.report / "training.html").string() + "\n";
    console.print_summary(text);
    console.print_json({{"command", "train net"},
                        {"exit_code", static_cast<int>(code)},
                        {"model", job.out.string()},
                        {"steps", last.step},
                        {"odds_loss", last.odds_loss},
                        {"box_loss", last.box_loss},
                        {"kept", result.model.training.value("kept", Json::array())},
                        {"data", result.data},
                        {"images", result.images},
                        {"unreadable_images", unreadable_json(result.unreadable)},
                        {"seconds", result.load_seconds + result.train_seconds}});
}

ExitCode run(const NetFlags& net, Console& console) {
    const TrainingFlags& flags = net.training;
    FaceNetTrainJob job;
    job.config = training_config(flags, load_face_net_config, face_net_config_from_json);
    if (flags.print_config) {
        std::cout << indented_text(json_of(job.config)) << "\n";
        return ExitCode::done;
    }
    validate_face_net_config(job.config);
    fill_job(flags, "wild.json", job);

    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    return run_training(console, job.checkpoint, [&] {
        const FaceNetTrainResult result = train_face_net_model(job, hooks);
        console.clear_progress();
        warn_unreadable(result.unreadable, result.images);
        bool all_read = result.unreadable.empty();
        for (const FaceNetJudgement& judgement : result.judgements) {
            warn_unreadable(judgement.unreadable, judgement.dataset.samples.size());
            all_read = all_read && judgement.unreadable.empty();
        }
        const ExitCode code = all_read ? ExitCode::done : ExitCode::inputs_skipped;
        show(job, result, code, console);
        return code;
    });
}

}  // namespace

Command add_train_net_command(CLI::App& train) {
    CLI::App* app = train.add_subcommand("net", "Train a network that finds faces in all poses");
    auto flags = std::make_shared<NetFlags>();
    app->footer(train_net_footer);
    add_training_flags<FaceNetTrainConfig>(*app, flags->training);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace fovea
