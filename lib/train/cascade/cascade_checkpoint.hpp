#pragma once

#include <vector>

#include "lib/json/field.hpp"
#include "lib/train/cascade/cascade_config.hpp"
#include "lib/train/cascade/cascade_trainer.hpp"

namespace fovea {

/// The state of a training, or of a sweep, which trains several cascades one behind the other.
struct CascadeTrainingState {
    /// Cascades of a sweep that are complete, in its order.
    std::vector<CascadeTrainerResult> done;
    CascadeTrainerResult current;  ///< stages of the next one
};

/// The state as a checkpoint has it; all must outlive the result. Reading throws Error if a cascade cannot be
/// read, or is none of this training. \param pool of the training.
DescribeFields fields_of_state(CascadeTrainingState& state, const CascadeTrainConfig& config,
                               const WindowFeatures& pool);

}  // namespace fovea
