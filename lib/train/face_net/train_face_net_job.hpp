#pragma once

#include <cstddef>
#include <vector>

#include "lib/detect/face_net_model.hpp"
#include "lib/device/detection_device.hpp"
#include "lib/results/tally.hpp"
#include "lib/train/face_net/face_net_config.hpp"
#include "lib/train/face_net/face_net_trainer.hpp"
#include "lib/train/face_net/judge_face_net.hpp"
#include "lib/train/samples/window_samples.hpp"
#include "lib/train/training_job.hpp"

namespace fovea {

struct FaceNetTrainJob : TrainingJob {
    FaceNetTrainConfig config;
    DetectionDevice device;  ///< the network is trained on it
};

struct FaceNetTrainResult {
    FaceNetModel model;
    std::vector<FaceNetProgress> losses;
    Json data;  ///< manifest
    /// On the datasets that were kept out.
    std::vector<FaceNetJudgement> judgements;
    WindowSamples crops;  ///< some crops of the training, if a report is wanted
    std::vector<UnreadableImage> unreadable;
    std::size_t images = 0;
    double load_seconds = 0, train_seconds = 0;
};

/// Reads the photographs, trains, quantises the network to 8 bits, judges it on the datasets kept out, and
/// writes it, and the report if one is wanted. The model is equal for every number of threads; one that a GPU
/// trained says so, and is equal on every GPU of its kind.
/// \throws UsageError for a checkpoint of another configuration or other data; what check_training_report,
/// read_photographs, read_checkpoint, train_face_net, quantised, judge_face_net, write_face_net_model,
/// finish_training and the hooks throw.
FaceNetTrainResult train_face_net_model(const FaceNetTrainJob& job, const JobHooks& hooks);

}  // namespace fovea
