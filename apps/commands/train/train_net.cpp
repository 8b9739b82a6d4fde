#include <spdlog/fmt/fmt.h>

#include "apps/commands/train/training_command.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/text.hpp"
#include "lib/train/face_net/train_face_net_job.hpp"

namespace fovea {
namespace {

constexpr const char* train_net_footer = R"(Examples:
  fovea train net --config configs/train-wild.json --out wild.json --report training/
  fovea train net --config train.json --steps 2000 --out mine.json --checkpoint mine.part --resume

Trains a small convolutional network that finds faces of all sizes and poses in one pass, on photographs
with boxes, and quantises it to 8 bits. The same data, settings and seed give the same model for
every number of threads. A GPU adds in another order than the CPU, so that its model differs a little;
each GPU of a kind gives the same one. A checkpoint of one device is continued on any.)";

TrainingSummary summarise(const FaceNetTrainJob&, const FaceNetTrainResult& result) {
    warn_unreadable(result.unreadable, result.images);
    bool all_read = result.unreadable.empty();
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
        warn_unreadable(judgement.unreadable, judgement.dataset.samples.size());
        all_read = all_read && judgement.unreadable.empty();
    }
    return {std::move(text),
            {{"steps", last.step},
             {"odds_loss", last.odds_loss},
             {"box_loss", last.box_loss},
             {"kept", result.model.training.value("kept", Json::array())},
             {"data", result.data},
             {"images", result.images},
             {"unreadable_images", unreadable_json(result.unreadable)},
             {"seconds", result.load_seconds + result.train_seconds}},
            all_read};
}

}  // namespace

Command add_train_net_command(CLI::App& train) {
    return add_training_command<FaceNetTrainJob, FaceNetTrainResult>(
        train, {.name = "net",
                .description = "Train a network that finds faces in all poses",
                .footer = train_net_footer,
                .output = {.example = "wild.json"},
                .validate = validate_face_net_config,
                .train = train_face_net_model,
                .summarise = summarise});
}

}  // namespace fovea
