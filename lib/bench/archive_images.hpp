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

/// Reads at most `most` photographs of a dataset, in colour if they have it, and detects their faces. If any
/// has a face, photographs without one are dropped. Unreadable ones are passed over. \throws Error if none
/// can be read.
std::vector<ArchiveSource> read_archive_sources(const Dataset& dataset, const Detector& detector,
                                                const DetectorOptions& options, std::size_t most);

/// The images of a test archive: JPEG files, quality 90, 4:2:0, or grey if their source is.
struct ArchiveRecipe {
    Size size;
    std::size_t images = 1;
    std::uint64_t seed = 1;
};

/// The grain of a recipe's pictures; each picture takes a part of it.
cv::Mat archive_grain(const ArchiveRecipe& recipe);

/// Picture `index` of a recipe: a part of a source with one face, or two if the index is odd, or the nearest
/// of sixteen tries; scaled to the recipe's size, perhaps mirrored, brighter or darker, with grain like a
/// camera's. It depends on the arguments alone; all pictures differ.
/// \param grain archive_grain() of the recipe.
cv::Mat archive_picture(const std::vector<ArchiveSource>& sources, const ArchiveRecipe& recipe,
                        std::size_t index, const cv::Mat& grain);

/// Makes the files 000/000000.jpg, ... of a recipe in a folder with all threads, and reads them once, so that
/// they are in the page cache. Files of the same recipe and sources that are already there are only read. It
/// ends early if it is cancelled.
/// \return the bytes of all files. \throws UsageError if the folder holds anything else; Error if it cannot
/// be written.
std::uint64_t make_archive(const std::filesystem::path& folder, const ArchiveRecipe& recipe,
                           const std::vector<ArchiveSource>& sources, const JobHooks& hooks);

/// The paths of the files of make_archive(), in their order.
std::vector<std::filesystem::path> archive_files(const std::filesystem::path& folder, std::size_t images);

}  // namespace fovea
