#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "lib/inputs/image_list.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// Results of a finished detection job, and the features of their faces.
struct FinishedResults {
    std::filesystem::path results;
    std::filesystem::path features;
};

/// The images of an archive that finished results are of.
struct FinishedImages {
    std::vector<std::size_t> photographs;  ///< in the list
    std::size_t frames = 0;                ///< of videos
};

/// Everything in result_fingerprint() that decides faces and vectors, in the form in which it is read back.
/// Images come and go, and another version or decoder finds the same faces but for rounding.
Json work_on_faces(Json work);

/// Checks that results were finished by work of the same kind, that neither file has changed since, and that
/// they are of images in the list. \param work work_on_faces(). \throws UsageError if not; Error if a file is
/// broken or cannot be read.
FinishedImages check_finished_results(const FinishedResults& finished, const Json& work,
                                      const ImageList& images);

}  // namespace fovea
