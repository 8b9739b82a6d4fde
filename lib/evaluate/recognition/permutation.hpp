#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/recognition/identification.hpp"

namespace fovea {

struct PermutationOptions {
    int permutations = 10000;
    /// Images of each subject in the gallery. One other image is the probe if it is 1 (CSU), else all others.
    int enrolled = 1;
    /// 0, or k: the images of each subject are dealt to k folds; each is the probes once, the others the
    /// gallery. Then `permutations` counts single folds, k of them from each dealing, and `enrolled` does
    /// not matter.
    int folds = 0;
    std::uint64_t seed = 1;
    int ranks = 50;  ///< of the curve; fewer where there are fewer subjects
};

/// A rank of the curve over all permutations.
struct PermutationPoint {
    int rank = 0;
    double mean = 0;
    Interval central95{};  ///< between the 2.5 % and the 97.5 % quantile of the permutations
};

/// Rank-1 of two recognisers in the same permutations.
struct PermutationComparison {
    std::size_t first = 0;
    std::size_t second = 0;
    /// Share of the permutations in which the first has the higher rank-1.
    double first_better = 0;
    double equal = 0;
    double second_better = 0;
    double mean_difference = 0;  ///< second - first
    Interval central95{};        ///< of the difference
};

struct PermutationEvaluation {
    PermutationOptions options;
    std::size_t subjects = 0;
    std::size_t images = 0;
    /// Images of subjects with too few images: a single one, or no more than are enrolled.
    std::size_t images_left_out = 0;
    std::vector<std::vector<PermutationPoint>> curves;  ///< by recogniser, from rank 1
    std::vector<PermutationComparison> comparisons;     ///< each recogniser with every later one
};

/// How permutations are drawn, for people: "a gallery image and another as probe were drawn of each of".
std::string drawing_text(const PermutationOptions& options);

/// How much identification depends on which images happen to be gallery and which probe.
///
/// Every permutation draws two different images of each subject that has at least two, one for the gallery
/// and one as probe (or as the options say). All probes are searched in that gallery; a subject's score is
/// the best of its images', and ties are broken at random (expected rate). All recognisers see the same
/// permutations. Deterministic: repetition_generator(seed, i) draws permutation i. Source: J. R. Beveridge,
/// K. She, B. Draper, G. H. Givens, "A Nonparametric Statistical Comparison of Principal Component and Linear
/// Discriminant Subspaces for Face Recognition", CVPR 2001, and csuAnalyzePermute of CSU's Face
/// Identification Evaluation System, version 5.
///
/// \param subjects the subject of each image.
/// \param scores of every recogniser: images as probes (rows) against images as gallery (columns).
/// \throws Error if fewer than two subjects have two images.
PermutationEvaluation evaluate_permutations(const std::vector<int>& subjects,
                                            const std::vector<SimilarityMatrix>& scores,
                                            const PermutationOptions& options);

}  // namespace fovea
