#pragma once

#include <cstddef>
#include <vector>

#include "kernels/net_training/adam_body.hpp"
#include "kernels/net_training/face_loss_body.hpp"
#include "kernels/net_training/net_plan.hpp"

namespace fovea {

/// The numbers of a network that is trained.
struct NetState {
    std::vector<float> parameters, statistics;
    std::vector<float> averaged;          ///< parameters
    std::vector<float> momentum, spread;  ///< of the optimiser (AdamW), by parameter
};

/// Memory for the crops of a step, which the caller fills, and for what is learned from them.
struct NetBatch {
    float* pixels;        ///< [crop][row][column] (grey level − 128) / grey_unit
    CellTarget* targets;  ///< [crop][head][cell]
};

/// A network in training, on the CPU or a GPU. Its functions throw DeviceError if a GPU fails.
class NetTrainer {
  public:
    virtual ~NetTrainer() = default;

    virtual void load(const NetState& state) = 0;
    /// Waits until all steps are done.
    virtual NetState state() = 0;

    /// The number of batches that can be filled while those before are worked on, at least 1.
    virtual std::size_t batches() const = 0;
    /// The memory of batch number % batches(). Waits until the step before, which read it, has done so.
    virtual NetBatch batch(std::size_t number) = 0;
    /// Takes a step by a filled batch; it may still be under way when this returns. \param face_cells cells
    /// of the batch that learn faces.
    virtual void train(std::size_t number, std::size_t face_cells, const AdamStep& step) = 0;
    /// Brings the statistics nearer to those of a filled batch.
    virtual void take_statistics(std::size_t number) = 0;
    /// The losses for a cell of a face, added up over the steps since the last call, which it waits for.
    virtual NetLosses take_losses() = 0;
};

}  // namespace fovea
