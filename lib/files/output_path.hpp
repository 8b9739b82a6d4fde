#pragma once

#include <filesystem>
#include <string>

namespace fovea {

/// folder / name, for a name that comes from data. \throws Error if the file would lie outside of the folder
/// (is_name_below() of lib/files/staged_files.hpp).
std::filesystem::path path_below(const std::filesystem::path& folder, const std::string& name);

}  // namespace fovea
