#pragma once

#include <filesystem>
#include <vector>

#include "lib/files/input_files.hpp"
#include "lib/landmark/crop_options.hpp"

namespace fovea {

/// Which files a detection job writes.
struct DetectionFiles {
    /// one per detector, then that of annotated boxes; "-" is standard output
    std::vector<std::filesystem::path> results;
    std::filesystem::path manifest;    ///< empty = none
    std::filesystem::path crops{};     ///< folder for the faces of the first results; empty = none
    std::filesystem::path features{};  ///< of the faces of the first results; empty = none
    /// Made of the results later. Those of an earlier run are removed when the results are, as they would
    /// look like new ones.
    std::vector<std::filesystem::path> reports{};
    CropOptions crop_options{};  ///< of the crops
    /// No output takes the place of one. plan_job() adds those of the job.
    InputFiles inputs{};
};

/// \throws UsageError if two of the files are the same, or one is an input.
void check_outputs(const DetectionFiles& files);

}  // namespace fovea
