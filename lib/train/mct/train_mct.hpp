#pragma once

#include "lib/detect/mct_model.hpp"
#include "lib/device/detection_device.hpp"
#include "lib/train/mct/trainer.hpp"
#include "lib/train/mct/validation.hpp"
#include "lib/train/training_job.hpp"

namespace fovea {

struct TrainJob : TrainingJob {
    TrainConfig config;
    DetectionDevice device;  ///< negatives are mined and the model validated on it
};

struct MctTrainingResult {
    MctModel model;
    std::vector<TrainingStep> steps;
    ValidationCurve validation;
    Json data;  ///< manifest of what was trained on
    double load_seconds = 0;
    double train_seconds = 0;
    double validate_seconds = 0;
};

/// Reads the data, trains, validates, calibrates and writes the model, and the report if one is wanted. The
/// model is equal on every device and for every number of threads. If it is cancelled, or a hook throws,
/// the checkpoint of the last mining stays.
/// \throws UsageError for a checkpoint of another configuration; what load_training_data, train_cascade,
/// write_mct_model, the hooks, check_training_report, read_checkpoint and finish_training throw.
MctTrainingResult train_mct(const TrainJob& job, const JobHooks& hooks);

}  // namespace fovea
