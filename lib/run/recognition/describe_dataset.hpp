#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/recognition/identification.hpp"
#include "lib/evaluate/recognition/score_pairing.hpp"
#include "lib/recognise/enrolment.hpp"

namespace fovea {

/// The faces of a dataset as a recogniser sees them, at most one of each image.
struct DescribedDataset {
    FaceFeatures features;
    /// place in features; none: it could not be enrolled
    std::vector<std::optional<std::size_t>> face_of_sample;
    std::size_t fallbacks = 0;  ///< faces at the fall-back eyes
    EnrolmentResult outcome;
};

/// Finds and describes the face of every image. \param finder with FaceChoice::one. Errors as enrol_faces.
DescribedDataset describe_dataset(const Dataset& dataset, const FaceFinder& finder,
                                  const Recogniser& recogniser, const EnrolmentOptions& options);

/// The distances of a dataset's pairs, as scores; those of which an image could not be enrolled have none
/// (NaN). A pair with a subject that the recogniser's weights were learned on is compared with the weights of
/// that subject's fold, which have not seen it, whatever list it stands in. Pairs whose subjects are of two
/// folds cannot be compared so: the warnings count them. \throws Error if the dataset has no pairs.
ScoredPairs distances_of_pairs(const Dataset& dataset, const DescribedDataset& described,
                               const Recogniser& recogniser);

/// The distances of pairs among all faces of a dataset, by whether they show one person.
struct DistancesOfPeople {
    std::vector<double> impostors;  ///< of pairs of two people
    std::vector<double> genuine;    ///< of pairs of one
};

/// The distances of all pairs of a dataset's faces whose subjects are known, with the weights that have not
/// seen their subjects, as distances_of_pairs(). Among more than `max_pairs` pairs a share is measured,
/// chosen by a hash of their places. Equal on every device, but for the order. \throws Error if no two faces
/// have known subjects; DeviceError if a GPU fails.
DistancesOfPeople distances_of_people(const Dataset& dataset, const DescribedDataset& described,
                                      const Recogniser& recogniser, const DetectionDevice& device,
                                      std::size_t max_pairs);

/// The distances of all probes to all gallery images as similarities, that is negated: see SimilarityMatrix.
/// \throws DeviceError if a GPU fails.
SimilarityMatrix distance_matrix(const IdentificationSet& set, const DescribedDataset& gallery,
                                 const DescribedDataset& probes, const Recogniser& recogniser,
                                 const DetectionDevice& device);

/// Lines "NAME <tab> NAME <tab> DISTANCE" as read_scores() reads them; pairs without a score have no line.
std::string pairs_text(const Dataset& dataset, const ScoredPairs& scored);

/// Writes distances as the CSV matrix that read_scores() reads: a column for every gallery image, a row for
/// every probe; images that were not enrolled have neither. An image's distance to itself, which is never
/// compared, is written as the 0 that it is. \throws as ScoreMatrixWriter.
void write_matrix(const std::filesystem::path& file, const IdentificationSet& set,
                  const SimilarityMatrix& similarities);

}  // namespace fovea
