#pragma once

#include <filesystem>
#include <vector>

#include "lib/json/json.hpp"
#include "lib/train/cascade/cascade_config.hpp"
#include "lib/train/cascade/cascade_trainer.hpp"

namespace fovea {

/// The state of a training, or of a sweep, which trains several cascades one behind the other.
struct CascadeCheckpoint {
    /// Cascades of a sweep that are complete, in its order.
    std::vector<CascadeTrainerResult> done;
    CascadeTrainerResult current;  ///< stages of the next one
};

/// The settings that a cascade depends on, without the paths of its data, because a cascade does not depend
/// on paths.
Json settings_without_paths(const CascadeTrainConfig& config);

/// A stage as checkpoints and reports have it.
void describe(FieldVisitor& visitor, CascadeStageResult& stage);

/// Writes a checkpoint. \param data manifest of the training data. \throws Error if the file cannot
/// be written.
void write_cascade_checkpoint(const std::filesystem::path& file, const CascadeTrainConfig& config,
                              const Json& data, const CascadeCheckpoint& checkpoint);

/// Reads a checkpoint. \param pool of the training. \throws UsageError for a checkpoint of other settings
/// or data; Error as read_checkpoint, and if it is of another kind of training or the cascade in it cannot
/// be read.
CascadeCheckpoint read_cascade_checkpoint(const std::filesystem::path& file, const CascadeTrainConfig& config,
                                          const WindowFeatures& pool, const Json& data);

}  // namespace fovea
