#pragma once

#include <filesystem>
#include <string>

namespace fovea::test {

/// The folder of the sources.
std::filesystem::path source_dir();

/// The path of one of them. \param name relative to the folder
std::string source_file(const std::string& name);

}  // namespace fovea::test
