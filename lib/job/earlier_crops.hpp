#pragma once

#include <filesystem>

#include "lib/job/detection_files.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The folder of a job's crops; empty if the job cut out none. \param file of the manifest.
std::filesystem::path crops_folder_of(const Json& manifest, const std::filesystem::path& file);

/// Removes the crops of the job whose results are about to be replaced, if they lie in the folder of the new
/// crops: they would look like new ones. Results that cannot be read any more name no crops.
/// \throws UsageError if the command reads one of these crops; Error if the system refuses.
void remove_earlier_crops(const DetectionFiles& files);

}  // namespace fovea
