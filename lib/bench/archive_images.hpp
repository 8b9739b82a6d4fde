#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <opencv2/core/mat.hpp>

#include "kernels/core/view.hpp"
#include "lib/core/types.hpp"
#include "lib/detect/detector.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// A photograph that a test archive is made from.
struct ArchiveSource {
    cv::Mat picture;  ///< CV_8UC3 (BGR) or CV_8UC1
    std::vector<Box> faces;
};

/// Reads the photographs of a dataset, in colour where they have it, until there are `most`, and looks for
/// faces in them. Only those with a face stay if any has one. Unreadable ones are passed over. \throws Error
/// if none can be read.
std::vector<ArchiveSource> read_archive_sources(const Dataset& dataset, const Detector& detector,
                                                const DetectorOptions& options, std::size_t most);

/// The images of a test archive: JPEG files, quality 90, 4:2:0 (grey ones of grey sources).
struct ArchiveRecipe {
    Size size;
    std::size_t images = 1;
    std::uint64_t seed = 1;
};

/// The grain of a recipe's pictures, from which each takes a part.
cv::Mat archive_grain(const ArchiveRecipe& recipe);

/// The index-th picture of a recipe: a part of a source with one face in it, of odd ones with two, or as near
/// to that as sixteen tries come; enlarged or shrunk to the size, mirrored or not, brighter or darker, with
/// grain as a camera's sensor gives it. Depends on nothing but its arguments; no two pictures are equal.
/// \param grain archive_grain() of the recipe.
cv::Mat archive_picture(const std::vector<ArchiveSource>& sources, const ArchiveRecipe& recipe,
                        std::size_t index, const cv::Mat& grain);

/// Makes the files 000/000000.jpg, ... of a recipe in a folder with all threads, and reads them once, so that
/// they are in the page cache. Files of the same recipe and sources that are already there are only read.
/// Ends early if it is cancelled.
/// \return bytes of all files. \throws UsageError if the folder holds anything else; Error if it cannot be
/// written.
std::uint64_t make_archive(const std::filesystem::path& folder, const ArchiveRecipe& recipe,
                           const std::vector<ArchiveSource>& sources, const RunHooks& hooks);

/// The files of such an archive in their order.
std::vector<std::filesystem::path> archive_files(const std::filesystem::path& folder, std::size_t images);

}  // namespace fovea
