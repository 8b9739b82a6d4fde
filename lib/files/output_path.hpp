#pragma once

#include <filesystem>
#include <string>

namespace fovea {

/// The place of a file below an output folder: whatever makes a file there under a name that comes from data
/// asks this. \throws Error unless is_name_below() (lib/files/staged_files.hpp).
std::filesystem::path path_below(const std::filesystem::path& folder, const std::string& name);

}  // namespace fovea
