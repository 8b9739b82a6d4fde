#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/inputs/image_list.hpp"

namespace fovea {

struct MakeListFileResult {
    std::string sha256;  ///< of the list
    std::size_t images = 0;
    std::uint64_t bytes = 0;  ///< of their files
    std::vector<SkippedInput> skipped;
    std::vector<std::string> warnings;
};

/// Lists images and writes them to a list file, with the size and the time of each image's file. The images
/// of a folder are listed in parts: memory does not grow with their number. Paths in the file are absolute.
/// \throws UsageError if the request names an annotated dataset or holds no image, and as read_image_list();
/// Error, ShortageError; JobCancelled, and then nothing is left.
/// \param with_contents reads all images, and notes what tells their bytes apart (FileMark::content).
MakeListFileResult make_list_file(ImageListRequest request, const std::filesystem::path& file,
                                  const JobHooks& hooks, bool with_contents = false);

}  // namespace fovea
