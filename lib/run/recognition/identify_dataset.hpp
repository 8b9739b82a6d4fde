#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/recognise/enrolment.hpp"
#include "lib/recognise/gallery_search.hpp"
#include "lib/results/results.hpp"
#include "lib/results/write_scores.hpp"

namespace fovea {

struct IdentifyOptions {
    EnrolmentOptions enrolment;  ///< its progress is called for the whole dataset
    /// The number of nearest subjects that are written; 1 = the nearest alone, as the identity.
    std::size_t candidates = 5;
    std::optional<double> threshold;  ///< nobody is identified at a larger distance
    /// A face is not compared with those of the same dataset and image.
    bool leave_one_out = false;
    std::size_t images_at_once = 1024;  ///< searched for together, and written
};

struct IdentifyResult {
    std::size_t images = 0;  ///< gone through
    std::size_t faces = 0;
    std::size_t identified = 0;  ///< of the faces
    /// Faces whose nearest face of the gallery is beyond the threshold.
    std::size_t nearest_only = 0;
    /// Images whose subject has a face in the gallery to be compared with; only if one face an image
    /// is taken.
    std::size_t mated = 0;
    std::size_t rank1 = 0;  ///< mated images whose nearest face is one of the subject
    /// Images that are in the gallery themselves, and were compared with it.
    std::size_t in_gallery = 0;
    std::size_t pages_left_out = 0;  ///< those behind the first ones of files
    std::vector<FaceFailure> failures;
    bool interrupted = false;
};

/// Finds the faces of a dataset's images in a gallery: one result an image, in the order of the dataset.
/// Faces without a box (only eyes are known) get the upright box of what the recogniser sees; faces that no
/// detector found get a score of 1.
/// \param recogniser with the gallery's features. \param scores receives the distance of every image with a
/// face to every image of the gallery; of several faces the smallest. Null: none.
/// \throws as enrol_faces, GallerySearch::search and the writers.
IdentifyResult identify_dataset(const Dataset& dataset, const FaceFinder& finder,
                                const Recogniser& recogniser, GallerySearch& gallery,
                                const IdentifyOptions& options, ResultsWriter& results,
                                ScoreMatrixWriter* scores);

/// The images of a gallery, each once, in the order of their first faces: the columns of scores.
/// \throws Error if images of two datasets have the same name.
std::vector<std::string> images_of_gallery(const std::vector<GalleryFace>& faces);

}  // namespace fovea
