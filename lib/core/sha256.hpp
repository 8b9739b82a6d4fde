#pragma once

#include <filesystem>
#include <string>

namespace fovea {

/// SHA-256 of a file as 64 hexadecimal digits (FIPS 180-4). \throws Error if it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace fovea
