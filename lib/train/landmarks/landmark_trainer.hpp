#pragma once

#include <string>
#include <vector>

#include "kernels/landmark/landmark_model.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/json/field.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/landmarks/landmark_config.hpp"
#include "lib/train/landmarks/landmark_data.hpp"

namespace fovea {

/// How good the model is after a level. Errors are means of the landmarks' distances, divided by the
/// faces' normaliser.
struct LandmarkLevel {
    double training_nme = 0;             ///< over all copies of the training faces
    std::vector<double> validation_nme;  ///< by source of the boxes; 0 without faces
    double clipped = 0;                  ///< share of the leaves' values that are at the end of int8's range

    friend bool operator==(const LandmarkLevel&, const LandmarkLevel&) = default;
};

/// A level as checkpoints, models and reports have it. \param sources of boxes, as validation_nme.
void describe(FieldVisitor& visitor, LandmarkLevel& level, const std::vector<std::string>& sources);

/// {"training_nme", "validation_nme": {SOURCE: nme}, "clipped"}; null where there is nothing to validate on.
Json landmark_level_to_json(LandmarkLevel level, const std::vector<std::string>& sources);

/// A training as far as it has come: what a checkpoint holds.
struct LandmarkTrainingState {
    std::vector<LandmarkCascade> cascades;
    /// The first is the mean face in its boxes, then one a cascade.
    std::vector<LandmarkLevel> levels;
};

/// The names of the sources of boxes.
std::vector<std::string> source_names(const LandmarkTrainingData& data);

/// The model without its cascades: points, depth, rounding and initial shape.
LandmarkModel untrained_landmarks(const LandmarkTrainConfig& config, const LandmarkTrainingData& data);

/// Trains the cascades of a landmark model (V. Kazemi and J. Sullivan, "One millisecond face alignment with
/// an ensemble of regression trees", CVPR 2014, section 2.3): each level draws pixels around the mean face,
/// and its trees are fitted, one after the other, to the residuals of the shapes. Leaves are rounded to int8
/// before the next tree is grown, so that it corrects the effects of rounding and clipping.
///
/// The copies of the faces differ in their boxes, not in their initial shapes, because a model in use meets
/// errors of boxes. Shapes equal those of find_landmarks in every bit. The same configuration, data and seed
/// give the same cascades, with any number of threads, in one go or from a checkpoint.
/// \param hooks are told the trees of all cascades after every tree; a cascade is a round. \param save is
/// called after every cascade. \throws JobCancelled
LandmarkTrainingState train_landmark_cascades(const LandmarkTrainConfig& config,
                                              const LandmarkTrainingData& data, LandmarkTrainingState from,
                                              const JobHooks& hooks,
                                              const SaveState<LandmarkTrainingState>& save = {});

}  // namespace fovea
