#pragma once

#include <string>
#include <vector>

#include "lib/config/face_finder_config.hpp"
#include "lib/evaluate/recognition/permutation.hpp"

namespace fovea {

/// The recognition of a run: recognisers, how faces are found, and experiments, which are made if their
/// datasets are named. Datasets are "FORMAT:PATH" or bare paths.
struct RecognitionConfig {
    std::vector<std::string> recognisers;  ///< files, or names for find_recogniser(); empty = no recognition
    FaceFinderConfig finder;               ///< always FaceChoice::one
    std::string pairs;                     ///< verification: a dataset with a list of pairs
    std::string gallery;                   ///< identification: a dataset with subjects
    std::vector<std::string> probes;       ///< identification: datasets searched in the gallery, one by one
    /// The dataset among whose images gallery and probes are chosen at random; empty = `gallery`, if it is
    /// searched with itself.
    std::string permuted;
    PermutationOptions permutations{0};  ///< 0 = none

    bool wanted() const { return !recognisers.empty(); }
};

/// Describes the fields, with their ranges: see FieldVisitor.
void describe(FieldVisitor& visitor, RecognitionConfig& config);

}  // namespace fovea
