#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/recognition/identification.hpp"
#include "lib/evaluate/recognition/verification.hpp"
#include "lib/results/read_scores.hpp"

namespace fovea {

/// Images by the names that score files give them: the whole name, the name without extension, or the file's
/// name with or without extension, in this order. The last three forms must name one image alone.
class ImageNames {
  public:
    explicit ImageNames(const std::vector<std::string>& names);
    std::optional<std::size_t> find(std::string_view name) const;

  private:
    static constexpr std::size_t several = ~std::size_t{0};
    std::unordered_map<std::string, std::size_t> by_name_[4];  // by form
};

struct ScoredPairs {
    std::vector<VerificationPair> pairs;  ///< scores as given
    /// Stands for which pairs these are, in their order: SHA-256 of images, labels and folds.
    std::string units_sha256{};
    std::vector<std::string> warnings{};
};

/// ScoredPairs::units_sha256 of the pairs of a dataset.
std::string units_sha256_of_pairs(const Dataset& dataset);

/// The pairs of a dataset with their scores; the order of a pair's images does not matter. Pairs without
/// score are failures to enrol; scores of other pairs are left out.
/// \throws Error if the dataset has no pairs, none of them has a score, or a pair has two different scores.
ScoredPairs scores_of_pairs(const Dataset& dataset, const ScoreList& scores);

/// The pairs of a list that brings its own labels and folds.
ScoredPairs labelled_pairs(const PairList& list);

/// Makes the experiment from datasets with subjects (feret:, folder:), one of gallery images and one
/// of probes.
/// \throws Error if an image has no subject.
IdentificationSet identification_set(const Dataset& gallery, const Dataset& probes);

/// Makes the experiment from a list of subjects. An image without role is a probe if it stands first in any
/// line of scores, and a gallery image if it stands second; if an image does both, all images without role
/// are both.
/// \param warnings receives a sentence about images that have neither role nor scores.
/// \throws Error if an image with scores has no subject.
IdentificationSet identification_set(const std::vector<SubjectEntry>& subjects,
                                     const std::vector<ScoreList>& scores,
                                     std::vector<std::string>& warnings);

/// The scores of all probes and gallery images as similarities. Images without any score are not enrolled;
/// the others need one for every comparison, but for an image with itself. A comparison of images that are
/// both gallery and probe may be given in either order.
/// \throws Error if a comparison has no score or two, naming the first.
SimilarityMatrix similarity_matrix(const IdentificationSet& set, const ScoreList& scores, bool distance);

/// Images that are gallery and probe, for permutations: places in `probes` and `gallery`.
struct ReplicateImages {
    std::vector<std::size_t> probes;
    std::vector<std::size_t> gallery;
    std::vector<int> subjects;
};
/// Finds the images of a set that are gallery and probe.
ReplicateImages replicate_images(const IdentificationSet& set);
/// The part of a matrix that compares these images with one another.
SimilarityMatrix selected(const SimilarityMatrix& scores, const ReplicateImages& images);

}  // namespace fovea
