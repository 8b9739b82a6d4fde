#include "lib/train/landmarks/train_landmarks.hpp"

#include <spdlog/fmt/fmt.h>

#include "apps/commands/train/training_command.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

constexpr const char* train_landmarks_footer = R"(Examples:
  fovea train landmarks --config configs/train-landmarks-helen.json --out helen.fvlm --report training/
  fovea train landmarks --dataset dlib:training.xml --trees 100 --depth 3 --out small.fvlm
  fovea train landmarks --config train.json --out mine.fvlm --checkpoint mine.part.fvlm --resume

Trains a landmark model: a cascade of ensembles of regression trees (Kazemi and Sullivan 2014) with
leaves of 8 bits. The same data, settings and seed give the same model for every number of threads.)";

TrainingSummary summarise(const LandmarkTrainJob&, const LandmarkTrainingResult& outcome) {
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
    return {text + "\n",
            {{"points", model.points},
             {"trees", model.trees()},
             {"data", outcome.landmarks.training.at("data")},
             {"nme", landmark_level_to_json(last, outcome.sources)},
             {"seconds", outcome.load_seconds + outcome.train_seconds}},
            outcome.unreadable == 0};
}

}  // namespace

Command add_train_landmarks_command(CLI::App& train) {
    return add_training_command<LandmarkTrainJob, LandmarkTrainingResult>(
        train, {.name = "landmarks",
                .description = "Train a cascade of regression trees that finds landmarks",
                .footer = train_landmarks_footer,
                .output = {.example = "model.fvlm"},
                .validate = validate_landmark_train_config,
                .train = train_landmarks,
                .summarise = summarise});
}

}  // namespace fovea
