#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace fovea {

/// SHA-256 of a file as 64 hexadecimal digits (FIPS 180-4). \throws Error if it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

/// The same of bytes in memory.
std::string sha256_of(std::string_view bytes);

}  // namespace fovea
