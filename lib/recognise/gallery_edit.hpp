#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fovea {

/// Selects the faces that agree with every member that is given.
struct GallerySelection {
    std::optional<std::string> subject;
    std::optional<std::string> image;     ///< in whichever dataset
    std::optional<std::size_t> number{};  ///< in the file, from 1
};

struct GalleryRemoval {
    std::size_t faces = 0;     ///< number of faces removed
    std::size_t subjects = 0;  ///< number of subjects that have no face any more
    std::size_t left = 0;      ///< number of faces that remain
};

/// Removes faces from a gallery: new records say so, and the faces' records remain in the file until it is
/// merged into a new one. \throws UsageError if the selection is empty; Error if no face agrees with it; what
/// GalleryWriter throws.
GalleryRemoval remove_faces(const std::filesystem::path& file, const GallerySelection& selection);

struct GalleryMerge {
    std::size_t faces = 0;
    std::size_t subjects = 0;
    std::size_t removed = 0;  ///< left out, as they had been removed from their galleries
    /// Faces that have the dataset, image and box of an earlier one; they were kept.
    std::size_t duplicates = 0;
    /// In name, distance or weights; those of the first gallery are kept.
    bool recognisers_differ = false;
};

/// Writes the faces of one or several galleries to a new one, in their order and without removed ones: whole
/// or not at all. The output may be one of the galleries, which is replaced then.
/// \throws UsageError if there is no gallery, or another file of the output's name; Error if features of two
/// are not comparable (both fingerprints are named), for duplicates unless they are allowed (the first are
/// named), and as read_gallery and GalleryAppender.
GalleryMerge merge_galleries(const std::vector<std::filesystem::path>& files,
                             const std::filesystem::path& output, bool allow_duplicates);

}  // namespace fovea
