#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/config/config.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/landmark/box_convention.hpp"
#include "lib/results/tally.hpp"
#include "lib/train/training_job.hpp"

namespace fovea {

/// Everything that box conventions depend on.
struct BoxTrainConfig {
    DatasetConfig dataset;               ///< with landmarks
    std::vector<std::string> detectors;  ///< files, or names for find_model()
};

/// Describes all fields, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, BoxTrainConfig& config);

/// \throws UsageError naming the first value out of its range, and if there is no dataset or detector.
void validate_box_train_config(const BoxTrainConfig& config);

struct BoxTrainJob : TextTrainingJob {
    BoxTrainConfig config;
};

struct BoxTrainingResult {
    /// One for each detector, in their order and named as their model files, then one for tight
    /// boxes, "landmarks".
    std::vector<BoxConvention> conventions;
    std::size_t images = 0;
    std::size_t faces = 0;  ///< with landmarks, in images that can be read
    std::vector<UnreadableImage> unreadable;
    bool interrupted = false;  ///< before the last image: there are no conventions then
};

/// Fits the box conventions of detectors to a dataset's faces, and writes them unless it is interrupted.
/// Conventions of other names that the file has stay. Each detector searches all images,
/// detection_of_face() chooses the detection of each face, and fit_convention() fits the convention to the
/// mean shape of all faces. Faces without landmarks, and faces marked ignore, are left out. The result is
/// equal on every device and for every number of threads.
/// \throws UsageError if the dataset has no landmarks, or faces differ in their number; Error naming the
/// detector if it found fewer than 10 faces; what loading the data, the detectors, read_conventions and
/// publish_product throw.
BoxTrainingResult train_boxes(const BoxTrainJob& job, const JobHooks& hooks);

}  // namespace fovea
