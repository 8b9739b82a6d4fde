#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace fovea {

/// The bytes of a whole file; pipes and devices are read to their end.
/// \param what names the file in messages: "results file", "cascade".
/// \throws UsageError if it is not there or is a folder; Error if it cannot be opened or read to its end.
std::string read_file(const std::filesystem::path& path, std::string_view what = "file");

/// All of standard input. \throws Error if it cannot be read to its end.
std::string read_standard_input();

/// Writes a file, over an older one if there is one. \throws Error if it cannot be opened or written in full.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace fovea
