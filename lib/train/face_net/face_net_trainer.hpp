#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "lib/train/face_net/crop_drawer.hpp"
#include "lib/train/face_net/face_loss.hpp"
#include "lib/train/face_net/float_net.hpp"

namespace fovea {

struct FaceNetSettings {
    NetWidth width;
    CropSettings crops;
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

/// A training as far as it has come: what a checkpoint holds.
struct FaceNetState {
    std::size_t step = 0;
    std::vector<float> parameters, statistics;
    std::vector<float> averaged;          ///< parameters
    std::vector<float> momentum, spread;  ///< of the optimiser (AdamW), by parameter
};

/// Means over the steps since the last report.
struct FaceNetProgress {
    std::size_t step = 0;
    double odds_loss = 0, box_loss = 0;  ///< for a cell of a face
    double faces = 0;                    ///< cells of faces in a crop
};

struct FaceNetHooks {
    /// Called after every step. May throw to stop.
    std::function<void(std::size_t step)> step;
    /// Called every `report_steps` steps, and at the end. May throw to stop.
    std::function<void(const FaceNetProgress&)> progress;
    /// Called each time after `progress`.
    std::function<void(const FaceNetState&)> checkpoint;
    std::size_t report_steps = 100;
};

/// Trains a network by AdamW (I. Loshchilov, F. Hutter, 2019). The same settings, photographs and seed give
/// the same network for every number of threads, in one go or from a checkpoint. \param from a state to
/// continue; without parameters: the training begins anew. \return the averaged parameters, with the
/// statistics that crops have under them.
/// \throws std::invalid_argument without photographs; Error for a state of another network.
FaceNetState train_face_net(const FaceNetSettings& settings, const std::vector<PhotographSource>& sources,
                            FaceNetState from, const FaceNetHooks& hooks);

}  // namespace fovea
