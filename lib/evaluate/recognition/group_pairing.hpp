#pragma once

#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/recognition/score_pairing.hpp"
#include "lib/results/read_groups.hpp"

namespace fovea {

/// The number of a subject that is not known, and of the group of a face that is in none.
constexpr int no_number = -1;

/// Who is shown in the images of a dataset, by the one face of each that counts.
struct KnownFaces {
    std::string dataset;              ///< as the user named it
    std::vector<std::string> images;  ///< names
    /// Parallel to images: subjects numbered from 0, or no_number; such images take no part.
    std::vector<int> subjects;
    std::vector<std::string> subject_names;  ///< by number
    std::vector<std::string> warnings;       ///< sentences on the images that take no part
};

/// The groups that the faces of a dataset's images are in.
struct FaceGroups {
    std::vector<int> groups;               ///< parallel to the images: numbered from 0, or no_number
    std::vector<std::string> group_names;  ///< by number
    std::vector<std::string> warnings;     ///< sentences on names that the dataset does not have
};

/// Takes the subjects of a dataset (feret:, lfw:, folder:).
/// \throws Error if no image has a subject.
KnownFaces known_faces(const Dataset& dataset);

/// Finds the images of a list of groups in a dataset. Names that it does not have are left out.
/// \param names of faces.images, made once for several lists. \throws Error if no name is the dataset's, or
/// two names of one image have different groups.
FaceGroups groups_of(const KnownFaces& faces, const ImageNames& names, const GroupList& list);

}  // namespace fovea
