#pragma once

#include <filesystem>

#include "lib/files/input_files.hpp"
#include "lib/files/output_files.hpp"

namespace fovea {

/// Writes what a writer made: a file, whole or not at all ("-" is standard output), or a folder's files,
/// which take their places only once all of them are on the disk. The output's folder is made where it is
/// missing in a folder that is there; other files in it stay.
/// \param overwrite files that are there already are replaced. \param inputs  that no file takes the place
/// of. \throws Error as path_below() before anything is written; UsageError if a file would overwrite an
/// input or, without `overwrite`, any other file; if a folder is to go to standard output, or cannot be made;
/// Error if the system refuses.
void publish(const OutputFiles& files, const std::filesystem::path& output, bool overwrite,
             const InputFiles& inputs = {});

}  // namespace fovea
