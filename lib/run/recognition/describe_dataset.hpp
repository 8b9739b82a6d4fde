#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/recognition/identification.hpp"
#include "lib/evaluate/recognition/score_pairing.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/recognise/enrolment.hpp"

namespace fovea {

/// The faces of a dataset as a recogniser sees them, at most one of each image.
struct DescribedDataset {
    FaceFeatures features;
    /// Place in features; none: the image could not be enrolled.
    std::vector<std::optional<std::size_t>> face_of_sample;
    std::size_t fallbacks = 0;  ///< faces at the fall-back eyes
    EnrolmentResult outcome;
};

/// An image of a recognition job that gave no face.
struct FailedFace {
    std::string dataset;
    std::string image;
    std::string reason;
    bool unreadable = false;  ///< the file, not the face, was the reason
};

/// A list of {"dataset", "image", "reason"}.
Json failures_to_json(const std::vector<FailedFace>& failures);

/// The fate of the images of a recognition, or of a training on described faces.
struct DescribedImages {
    std::size_t images = 0;            ///< gone through, by all recognisers together
    std::size_t faces = 0;             ///< described
    std::size_t fallbacks = 0;         ///< of these, at the fall-back eyes
    std::size_t pages_left_out = 0;    ///< those behind the first ones of files
    std::vector<FailedFace> failures;  ///< each image once
    bool interrupted = false;          ///< while faces were described: nothing was made of them then
};

/// "lfw": the dataset without the place that it has on this machine.
std::string name_without_place(const Dataset& dataset);

/// Finds and describes the face of every image. \param finder with FaceChoice::one. \throws what
/// enrol_faces throws.
DescribedDataset describe_dataset(const Dataset& dataset, const FaceFinder& finder,
                                  const Recogniser& recogniser, const EnrolmentOptions& options);

/// The distances of a dataset's pairs, as scores; NaN if one of the images could not be enrolled. If the
/// recogniser's weights were learned on a subject of a pair, the pair is compared with the weights of that
/// subject's fold, which have not seen the subject. Pairs whose subjects are of two folds cannot be compared
/// like that: the warnings count them.
/// \throws Error if the dataset has no pairs.
ScoredPairs distances_of_pairs(const Dataset& dataset, const DescribedDataset& described,
                               const Recogniser& recogniser);

/// The distances of pairs of faces of a dataset.
struct DistancesOfPeople {
    std::vector<double> impostors;  ///< of pairs of two people
    std::vector<double> genuine;    ///< of pairs of one
};

/// The distances of all pairs of a dataset's faces whose subjects are known, with weights that have not seen
/// their subjects, as in distances_of_pairs(). Among more than `max_pairs` pairs, a hash of their places
/// chooses a share. The distances are equal on every device, but not their order. \throws Error if no two
/// faces have known subjects; DeviceError if a GPU fails.
DistancesOfPeople distances_of_people(const Dataset& dataset, const DescribedDataset& described,
                                      const Recogniser& recogniser, const DetectionDevice& device,
                                      std::size_t max_pairs);

/// The negated distances of all probes to all gallery images: see SimilarityMatrix.
/// \throws DeviceError if a GPU fails.
SimilarityMatrix distance_matrix(const IdentificationSet& set, const DescribedDataset& gallery,
                                 const DescribedDataset& probes, const Recogniser& recogniser,
                                 const DetectionDevice& device);

/// Lines "NAME <tab> NAME <tab> DISTANCE" as read_scores() reads them; pairs without a score have no line.
std::string pairs_text(const Dataset& dataset, const ScoredPairs& scored);

/// Writes distances as the CSV matrix that read_scores() reads: a column for every gallery image, a row for
/// every probe; images that were not enrolled have neither. The distance of an image to itself, which no
/// evaluation uses, is written as 0. \throws as ScoreMatrixWriter.
void write_matrix(const std::filesystem::path& file, const IdentificationSet& set,
                  const SimilarityMatrix& similarities);

}  // namespace fovea
