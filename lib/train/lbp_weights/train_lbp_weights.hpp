#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/recognise/region_weights.hpp"
#include "lib/train/recogniser/recogniser_training.hpp"

namespace fovea {

/// The logistic weights' ridge if none is given.
inline constexpr double default_ridge = 0.001;

/// Everything that a training of region weights depends on. Weights that the recogniser has are not used.
struct WeightTrainConfig : RecogniserTrainConfig {
    /// "logistic": all regions together from labelled pairs, see logistic_weights(). "rank": each region
    /// alone, see ranked_weights(). Empty: logistic for datasets with pairs, rank for others.
    std::string method;
    std::optional<double> ridge;  ///< of logistic_weights()
    std::vector<int> folds;       ///< of the pairs to learn from, from 1; empty = all
};

/// Describes all fields, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, WeightTrainConfig& config);

/// \throws UsageError naming the first value out of its range, and if there is no dataset.
void validate_weight_train_config(const WeightTrainConfig& config);

struct WeightTrainJob : TextTrainingJob {
    WeightTrainConfig config;
};

/// How well weights do: the share of pairs judged rightly, or the rank-1 rate.
struct WeightFigures {
    double all_equal = 0;  ///< with weights of 1
    double weighted = 0;
};

struct WeightTrainingResult : DescribedImages {
    RegionWeights weights;
    std::size_t pairs = 0;         ///< learned from
    std::size_t pairs_failed = 0;  ///< not learned from, because an image gave no face
    WeightFigures training;        ///< on the data learned from: optimistic
    /// On every fold with the weights and thresholds of the others, mean over the folds; pairs without faces
    /// are left out.
    std::optional<WeightFigures> other_folds;
    /// Pairs left out of a fold's training because one of their subjects occurs in the fold.
    std::size_t shared_subjects = 0;
};

/// Learns weights of a recogniser's regions, and writes them unless it is interrupted.
///
/// If the dataset has pairs, it learns from them. If no folds were chosen and there are several, it also
/// learns weights for the pairs of each fold, from the pairs of the other folds that share no subject with it
/// (see FoldWeights). If the dataset has no pairs, it learns from the subjects: the rate of a region is the
/// share of images, among images with a mate, whose nearest other image by that region's distance alone shows
/// the same subject (the first of equally near ones counts). Weights are multiples of 1/256. They are equal
/// for every number of threads and on every device.
///
/// \throws UsageError if the recogniser is of another kind, the distance is no sum over regions, a fold is
/// not there, there is a ridge for another method than the logistic one, or the dataset has neither pairs nor
/// subjects, or no pairs for the logistic method; Error if too few faces are left; what loading the data,
/// describe_dataset and publish_product throw.
WeightTrainingResult train_lbp_weights(const WeightTrainJob& job, const JobHooks& hooks);

}  // namespace fovea
