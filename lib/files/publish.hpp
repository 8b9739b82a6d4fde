#pragma once

#include <filesystem>

#include "lib/files/output_files.hpp"

namespace fovea {

/// Writes what a writer made: a file, whole or not at all ("-" is standard output), or a folder's files,
/// which take their places only once all of them are on the disk. Folders are made where they are missing;
/// other files in them stay.
/// \throws UsageError if a file would overwrite an input, a folder is to go to standard output, or a file
/// stands where
///         the folder should be; Error if the system refuses.
void publish(const OutputFiles& files, const std::filesystem::path& output);

}  // namespace fovea
