#pragma once

#include <filesystem>

#include "lib/job/detection_files.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The folder of a job's crops. \param file of the manifest. Empty if the job cut out none.
std::filesystem::path crops_folder_of(const Json& manifest, const std::filesystem::path& file);

/// Removes the crops of the job whose results are about to be replaced, as far as they lie in the folder of
/// the new ones: they would look like these. Results that cannot be read any more name none.
/// \throws UsageError if the command reads one of them; Error if the system refuses.
void remove_earlier_crops(const DetectionFiles& files);

}  // namespace fovea
