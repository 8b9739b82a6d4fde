#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/json/json_fwd.hpp"
#include "lib/train/face_net/face_net_trainer.hpp"

namespace fovea {

class FieldVisitor;

/// A dataset of photographs. Faces that it ignores are neither learned nor held to be background.
struct PhotographSettings {
    std::string dataset;      ///< FORMAT:PATH
    double share = 1;         ///< of the crops, of the sum of all shares
    bool is_complete = true;  ///< every face is annotated
    /// Edges of the box that is learned, as shares of the annotated box's width and height from its left and
    /// top; 0, 0, 1, 1 is the annotated box. They should bring all datasets to one convention.
    double left = 0, top = 0, right = 1, bottom = 1;
};

/// Everything that a training of a network depends on.
struct FaceNetTrainConfig {
    std::string name = "net";
    std::vector<PhotographSettings> photographs;
    /// Datasets that are not trained on: the network is judged on them, and its score fitted to them. Their
    /// boxes are taken as they are.
    std::vector<std::string> kept;
    int max_side = 640;  ///< pixels; larger photographs are reduced by whole factors
    FaceNetSettings training;
};

// The fields of each struct, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, PhotographSettings& photographs);
void describe(FieldVisitor& visitor, NetWidth& width);
void describe(FieldVisitor& visitor, CropSettings& crops);
void describe(FieldVisitor& visitor, FaceNetTrainConfig& config);

/// The settings that a network depends on, without the paths of its data, because a network does not depend
/// on paths.
Json settings_without_paths(const FaceNetTrainConfig& config);

/// Checks a configuration. \throws UsageError naming the first value out of its range, and if there are
/// no photographs.
void validate_face_net_config(const FaceNetTrainConfig& config);

}  // namespace fovea
