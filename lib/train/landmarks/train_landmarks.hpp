#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "lib/landmark/quantised_model.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/landmarks/landmark_trainer.hpp"

namespace fovea {

struct LandmarkTrainJob : TrainingJob {
    LandmarkTrainConfig config;
};

struct LandmarkTrainRunHooks {
    /// A part of the work begins.
    std::function<void(const std::string&)> stage;
    /// May throw to stop.
    std::function<void(std::size_t done, std::size_t total)> progress;
    /// After every cascade.
    std::function<void(const LandmarkLevel&, std::size_t cascades)> level;
};

struct LandmarkTrainingResult {
    TrainedLandmarks landmarks;
    std::vector<LandmarkLevel> levels;
    std::vector<std::string> sources;  ///< of boxes, as LandmarkLevel::validation_nme
    std::size_t faces = 0;
    std::size_t validation_faces = 0;
    std::size_t unreadable = 0;
    double load_seconds = 0;
    double train_seconds = 0;
};

/// {"training_nme", "validation_nme": {SOURCE: nme}, "clipped"}; null where there is nothing to validate on.
Json landmark_level_to_json(LandmarkLevel level, const std::vector<std::string>& sources);

/// Reads the data, trains and writes the model, and the report if one is wanted. The model's bytes are
/// equal for every number of threads, in one go or resumed. If a hook throws, the checkpoint of the last
/// cascade stays.
/// \throws UsageError for a checkpoint of another configuration or other data; what
/// load_landmark_training_data, write_quantised_model, the hooks, check_training_report, read_checkpoint and
/// finish_training throw.
LandmarkTrainingResult train_landmarks(const LandmarkTrainJob& job, const LandmarkTrainRunHooks& hooks);

}  // namespace fovea
