#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fovea {

/// Which faces are meant: those that all that is given holds of.
struct GallerySelection {
    std::optional<std::string> subject;
    std::optional<std::string> image;     ///< in whichever dataset
    std::optional<std::size_t> number{};  ///< in the file, from 1
};

struct GalleryRemoval {
    std::size_t faces = 0;     ///< that were removed
    std::size_t subjects = 0;  ///< that have no face any more
    std::size_t left = 0;      ///< faces
};

/// Removes faces from a gallery: records say so, and the faces' own remain in the file until it is merged
/// into a new one.
/// \throws UsageError if nothing is selected by; Error if no face is meant, and as GalleryWriter.
GalleryRemoval remove_faces(const std::filesystem::path& file, const GallerySelection& selection);

struct GalleryMerge {
    std::size_t faces = 0;
    std::size_t subjects = 0;
    std::size_t removed = 0;  ///< left out, as they had been removed from their galleries
    std::size_t duplicates =
        0;  ///< faces of the same dataset, image and box as an earlier one, which were kept
    bool recognisers_differ = false;  ///< in name, distance or weights; those of the first gallery are kept
};

/// Writes the faces of one or several galleries to a new one, in their order and without those that were
/// removed: whole or not at all. The output may be one of the galleries, which is replaced then.
/// \throws UsageError if there is no gallery, or another file of the output's name; Error if features of two
/// are not comparable (both fingerprints are named), for duplicates unless they are allowed (the first are
/// named), and as read_gallery and GalleryAppender.
GalleryMerge merge_galleries(const std::vector<std::filesystem::path>& files,
                             const std::filesystem::path& output, bool allow_duplicates);

}  // namespace fovea
