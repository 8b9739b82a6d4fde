#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/net_training/net_trainer.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/device/detection_device.hpp"
#include "lib/json/field.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/face_net/crop_drawer.hpp"
#include "lib/train/face_net/hard_negatives.hpp"
#include "lib/train/face_net/net_teacher.hpp"

namespace fovea {

struct FaceNetSettings {
    NetWidth width;
    CropSettings crops;
    HardNegativeSettings mining;
    NetTeacherSettings teacher;
    std::size_t batch = 64;
    std::size_t steps = 10000;
    std::size_t warm_up = 300;    ///< steps in which the rate rises from 0
    double learning_rate = 2e-3;  ///< falls as a half cosine
    double weight_decay = 1e-4;
    double max_gradient = 5;  ///< norm
    /// The network gets the running average of its weights: in each step, this share of the average stays.
    double average = 0.999;
    std::uint64_t seed = 1;
};

/// Means over the steps since the last round.
struct FaceNetProgress {
    std::size_t step = 0;
    double odds_loss = 0, box_loss = 0;  ///< for a cell of a face
    double faces = 0;                    ///< cells of faces in a crop
};

/// The progress as checkpoints and models have it.
void describe(FieldVisitor& visitor, FaceNetProgress& progress);

/// A training as far as it has come: what a checkpoint holds.
struct FaceNetState : NetState {
    std::size_t step = 0;
    std::vector<FaceNetProgress> losses;       ///< of each round
    std::vector<HardNegative> hard_negatives;  ///< of the last search
};

void describe(FieldVisitor& visitor, FaceNetState& state);

/// Trains a network by AdamW (I. Loshchilov, F. Hutter, 2019). The same settings, photographs and seed give
/// the same network for every number of threads, in one go or from a checkpoint; a GPU's differs from the
/// CPU's by the order of its sums. \param from a state to continue, of any device; without parameters: the
/// training begins anew. \param device of several GPUs, the first one works. \param hooks are told every
/// step. \param save is called after every round. \param round_steps steps of a round, at least 1; the last
/// may have fewer. \return the averaged parameters, with the statistics that crops have under them. \throws
/// std::invalid_argument without photographs; Error for a state of another network; JobCancelled;
/// DeviceError.
FaceNetState train_face_net(const FaceNetSettings& settings, const std::vector<PhotographSource>& sources,
                            FaceNetState from, const DetectionDevice& device, const JobHooks& hooks,
                            const SaveState<FaceNetState>& save = {}, std::size_t round_steps = 100);

}  // namespace fovea
