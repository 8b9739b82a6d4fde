#pragma once

#include <functional>
#include <vector>

#include "kernels/landmark/landmark_model.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/train/landmarks/landmark_config.hpp"
#include "lib/train/landmarks/landmark_data.hpp"

namespace fovea {

/// The cascade's state after a level. Errors are means of the landmarks' distances, divided by the faces'
/// normaliser.
struct LandmarkLevel {
    double training_nme = 0;             ///< over all copies of the training faces
    std::vector<double> validation_nme;  ///< by source of the boxes; 0 without faces
    double clipped = 0;                  ///< share of the leaves' values that are at the end of int8's range

    friend bool operator==(const LandmarkLevel&, const LandmarkLevel&) = default;
};

/// A training as far as it has come: what a checkpoint holds.
struct LandmarkTrainingState {
    std::vector<LandmarkCascade> cascades;
    std::vector<LandmarkLevel> levels;  ///< the first is the mean face in its boxes, then one a cascade
};

struct LandmarkTrainerHooks {
    /// After every tree, with those of all cascades. May throw to stop.
    std::function<void(std::size_t trees, std::size_t trees_wanted)> tree;
    /// After every cascade: from this state on the training goes the same way again. May throw to stop.
    std::function<void(const LandmarkTrainingState&)> level;
};

/// The model without its cascades: points, depth, rounding and initial shape.
LandmarkModel untrained_landmarks(const LandmarkTrainConfig& config, const LandmarkTrainingData& data);

/// Trains the cascades of a landmark model (V. Kazemi and J. Sullivan, "One millisecond face alignment with
/// an ensemble of regression trees", CVPR 2014, section 2.3): each level draws pixels around the mean face,
/// and its trees are fitted, one after the other, to what the shapes still lack. Leaves are rounded to int8
/// before the next tree is grown, which so corrects what rounding and clipping did.
///
/// The copies of the faces differ in their boxes, not in their initial shapes: errors of boxes are what a
/// model meets. Shapes are those that find_landmarks computes, in every bit. The same configuration, data and
/// seed give the same cascades, with any number of threads, in one go or from a checkpoint.
LandmarkTrainingState train_landmark_cascades(const LandmarkTrainConfig& config,
                                              const LandmarkTrainingData& data, LandmarkTrainingState from,
                                              const LandmarkTrainerHooks& hooks);

}  // namespace fovea
