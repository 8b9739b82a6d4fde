#pragma once

#include "lib/core/job_hooks.hpp"
#include "lib/recognise/far_thresholds.hpp"
#include "lib/train/recogniser/recogniser_training.hpp"

namespace fovea {

/// Everything that measured thresholds depend on. The dataset has subjects.
struct ThresholdTrainConfig : RecogniserTrainConfig {};

/// Describes all fields, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, ThresholdTrainConfig& config);

/// \throws UsageError naming the first value out of its range, and if there is no dataset.
void validate_threshold_train_config(const ThresholdTrainConfig& config);

struct ThresholdTrainJob : TextTrainingJob {
    ThresholdTrainConfig config;
};

struct ThresholdTrainingResult : DescribedImages {
    FarThresholds thresholds;
};

/// Measures the distances at which a recogniser accepts given shares of pairs of two people, and writes the
/// recogniser's file with them unless it is interrupted.
///
/// All pairs of the dataset's faces are compared, of more than 20 million a share, each with weights that
/// have seen neither of its subjects; pairs without such weights are left out. Pairs share faces, so that the
/// thresholds are less certain than with as many independent pairs. The result is equal on every device.
///
/// \throws as loading the data, describe_dataset, distances_of_people, far_thresholds and publish_product do.
ThresholdTrainingResult train_thresholds(const ThresholdTrainJob& job, const JobHooks& hooks);

}  // namespace fovea
