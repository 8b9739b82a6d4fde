#pragma once

#include <filesystem>

#include "lib/json/json.hpp"
#include "lib/train/face_net/face_net_config.hpp"
#include "lib/train/face_net/face_net_trainer.hpp"

namespace fovea {

/// The settings that a network depends on, without the paths of its data, because a network does not depend
/// on paths.
Json settings_without_paths(const FaceNetTrainConfig& config);

/// Writes a checkpoint. \param data manifest of the training data. \throws Error if the file cannot
/// be written.
void write_face_net_checkpoint(const std::filesystem::path& file, const FaceNetTrainConfig& config,
                               const Json& data, const FaceNetState& state);

/// Reads a checkpoint. \throws UsageError for a checkpoint of other settings or data; Error as
/// read_checkpoint, and if it is of another kind of training, or damaged.
FaceNetState read_face_net_checkpoint(const std::filesystem::path& file, const FaceNetTrainConfig& config,
                                      const Json& data);

}  // namespace fovea
