#pragma once

#include <string>

#include "lib/config/config.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/device/detection_device.hpp"
#include "lib/files/input_files.hpp"
#include "lib/recognise/recogniser.hpp"
#include "lib/run/recognition/describe_dataset.hpp"
#include "lib/run/recognition/face_finder.hpp"
#include "lib/train/training_job.hpp"

namespace fovea {

/// The data of a training on faces that a recogniser describes.
struct RecogniserTrainConfig {
    DatasetConfig dataset;
    std::string recogniser = default_recogniser;  ///< a file, or a name for find_recogniser()
    FaceFinderConfig finder;
};

/// The help of the flags that trainings describe differently.
struct RecogniserTrainingHelp {
    std::string dataset, recogniser;
};

/// Describes all fields, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, RecogniserTrainConfig& config, const RecogniserTrainingHelp& help);

/// The models and images of such a training, loaded in the order of the members.
struct RecogniserTrainingData {
    /// \throws as loading each of them; UsageError if the job's file is one of theirs.
    RecogniserTrainingData(const RecogniserTrainConfig& config, const RecogniserConfig& recogniser_config,
                           const TextTrainingJob& job);

    /// Finds and describes the face of every image. \param outcome receives what became of them.
    /// \throws as describe_dataset().
    DescribedDataset describe(int threads, const JobHooks& hooks, DescribedImages& outcome) const;

    const Recogniser recogniser;
    const LoadedFaceFinder finder;
    const Dataset dataset;
    const std::string dataset_path;  ///< as the user named it
    InputFiles inputs;               ///< the files of all of them
};

}  // namespace fovea
