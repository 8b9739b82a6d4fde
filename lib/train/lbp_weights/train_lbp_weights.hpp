#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/recognise/region_weights.hpp"
#include "lib/run/recognition/describe_dataset.hpp"

namespace fovea {

/// The method by which weights of regions are learned.
enum class WeightMethod {
    logistic,  ///< all regions together from labelled pairs: logistic_weights()
    rank,      ///< each region alone: ranked_weights()
};

/// "logistic" or "rank".
std::string to_string(WeightMethod method);
/// The method of a name. \throws UsageError listing the names that there are.
WeightMethod weight_method_from_string(const std::string& name);

struct WeightTraining {
    const Dataset* dataset = nullptr;
    const Recogniser* recogniser = nullptr;  ///< its weights, if it has some, are not used
    FaceFinder finder;
    int threads = 0;  ///< 0 = all cores
    WeightMethod method = WeightMethod::logistic;
    double ridge = 0.001;    ///< of logistic_weights()
    std::vector<int> folds;  ///< of the pairs to learn from, from 0; empty = all
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

/// Learns weights of a recogniser's regions.
///
/// If the dataset has pairs, it learns from them. If no folds were chosen and there are several, it also
/// learns weights for the pairs of each fold, from the pairs of the other folds that share no subject with it
/// (see FoldWeights). If the dataset has no pairs, it learns from the subjects: the rate of a region is the
/// share of images, among images with a mate, whose nearest other image by that region's distance alone shows
/// the same subject (the first of equally near ones counts). Weights are multiples of 1/256. They are equal
/// for every number of threads and on every device.
///
/// \throws UsageError if the recogniser is of another kind, the distance is no sum over regions, a fold is
/// not there, or the dataset has neither pairs nor subjects, or no pairs for the logistic method; Error if
/// too few faces are left; what describe_dataset throws.
WeightTrainingResult train_lbp_weights(const WeightTraining& training, const JobHooks& hooks);

}  // namespace fovea
