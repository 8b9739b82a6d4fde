#pragma once

#include <filesystem>
#include <vector>

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
};

/// \throws UsageError if two of the files are the same, or one is an input of the command.
void check_outputs(const DetectionFiles& files);

}  // namespace fovea
