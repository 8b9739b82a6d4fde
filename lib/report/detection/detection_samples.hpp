#pragma once

#include <filesystem>
#include <string>

#include "lib/files/staged_files.hpp"
#include "lib/report/detection/detection_content.hpp"

namespace fovea::report {

/// Adds all evaluated images with their faces and what each detector made of them, for the page's browser:
/// samples.js and pictures/*.jpg, within the context's limits. \return the address of samples.js; empty where
/// no pictures are wanted
std::string add_samples(StagedFiles& files, const std::filesystem::path& folder, const DetectorsCompared& of);

}  // namespace fovea::report
