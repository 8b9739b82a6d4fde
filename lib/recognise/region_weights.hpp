#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

class FieldVisitor;

/// Weights for the pairs of each fold of a protocol, learned on the pairs of the other folds: what a
/// cross-validated protocol (LFW's view 2) allows. Each fold's weights are scaled so that the threshold that
/// judges most of its training pairs rightly is one number for all: scores of different folds are comparable,
/// and a threshold fixed at that number has seen nothing of the fold that it judges.
struct FoldWeights {
    /// The subjects of the pairs of every fold, as subject_key() names them, sorted. They tell the fold of a
    /// pair of any list.
    std::vector<std::vector<std::string>> subjects;
    double threshold = 0;                      ///< that number, a distance
    std::vector<std::vector<double>> weights;  ///< by fold, from 0

    bool empty() const { return weights.empty(); }
};

/// Names a subject in a file of weights: the first 12 hexadecimal digits of the SHA-256 of its name.
std::string subject_key(const std::string& subject);

/// Weights of a recogniser's regions, as `fovea train lbp-weights` writes them.
struct RegionWeights {
    std::vector<double> weights;  ///< of every region of every feature, 0 to 255
    FoldWeights folds;            ///< may be empty
    std::string fingerprint;      ///< feature_fingerprint() of the recogniser that they are for
    std::string origin;           ///< for people: method and dataset
};

/// Reads {"format": "fovea-region-weights", "version": 1, "fingerprint", "origin", "weights"} and, where
/// there are some, "folds": {"threshold", "subjects": [one list a fold], "weights": [one list a fold]}.
/// \throws UsageError if the file is not there; Error naming file and key if it is broken.
RegionWeights read_region_weights(const std::filesystem::path& file);

/// The contents of a file that read_region_weights() reads.
void describe(FieldVisitor& visitor, RegionWeights& weights);

}  // namespace fovea
