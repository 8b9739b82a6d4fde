#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/landmark/quantised_model.hpp"
#include "lib/train/landmarks/landmark_trainer.hpp"
#include "lib/train/training_job.hpp"

namespace fovea {

struct LandmarkTrainJob : TrainingJob {
    LandmarkTrainConfig config;
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

/// Reads the data, trains and writes the model, and the report if one is wanted. The model's bytes are
/// equal for every number of threads, in one go or resumed. If it is cancelled, or a hook throws, the
/// checkpoint of the last cascade stays.
/// \throws UsageError for a checkpoint of another configuration or other data; what
/// load_landmark_training_data, write_quantised_model, the hooks, check_training_report, read_checkpoint and
/// finish_training throw.
LandmarkTrainingResult train_landmarks(const LandmarkTrainJob& job, const JobHooks& hooks);

}  // namespace fovea
