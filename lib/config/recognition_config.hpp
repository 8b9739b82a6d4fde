#pragma once

#include <string>
#include <vector>

#include "lib/config/face_finder_config.hpp"
#include "lib/evaluate/recognition/permutation.hpp"

namespace fovea {

/// The recognition of a run: who recognises, how faces are found, and the experiments; those whose datasets
/// are named are made. Datasets are "FORMAT:PATH" or bare paths.
struct RecognitionConfig {
    std::vector<std::string> recognisers;  ///< files or names (find_recogniser); empty = no recognition
    FaceFinderConfig finder;               ///< always FaceChoice::one
    std::string pairs;                     ///< verification: a dataset with a list of pairs
    std::string gallery;                   ///< identification: a dataset with subjects
    std::vector<std::string> probes;       ///< and the sets that are searched in it, each by itself
    /// Random choices of gallery and probes among the images of one dataset; empty = the gallery's, if it is
    /// searched with itself.
    std::string permuted;
    PermutationOptions permutations{0};  ///< 0 = none

    bool wanted() const { return !recognisers.empty(); }
};

/// Its fields, with their ranges: see FieldVisitor.
void describe(FieldVisitor& visitor, RecognitionConfig& config);

}  // namespace fovea
