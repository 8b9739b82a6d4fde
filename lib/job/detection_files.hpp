#pragma once

#include <filesystem>
#include <vector>

#include "lib/files/input_files.hpp"
#include "lib/landmark/crop_options.hpp"

namespace fovea {

/// Which files a detection job writes.
struct DetectionFiles {
    /// One per detector, then one for annotated boxes; "-" is standard output.
    std::vector<std::filesystem::path> results;
    std::filesystem::path manifest;    ///< empty = none
    std::filesystem::path crops{};     ///< folder for the faces of the first results; empty = none
    std::filesystem::path features{};  ///< of the faces of the first results; empty = none
    /// Files that are made from the results later. Reports of an earlier run are removed together with its
    /// results, because they would look like new ones.
    std::vector<std::filesystem::path> reports{};
    CropOptions crop_options{};  ///< of the crops
    /// No output may replace one of them. plan_job() adds the inputs of the job.
    InputFiles inputs{};
};

}  // namespace fovea
