#pragma once

#include <filesystem>

#include "lib/files/input_files.hpp"
#include "lib/files/output_files.hpp"

namespace fovea {

/// Writes a writer's output: a file as replace_file() does ("-" is standard output), or the files of a
/// folder, which take their places only once all of them are written. The output's folder is made as
/// make_output_folder() does; other files in it stay.
/// \param overwrite  replaces files that are there already
/// \param inputs     files that must not be replaced
/// \throws UsageError if a file would replace an input or, without `overwrite`, any other file that is not
/// empty, or if a folder cannot be made or would go to standard output; Error for a name that leads out of
/// the folder, before anything is written, and if the system refuses.
void publish(const OutputFiles& files, const std::filesystem::path& output, bool overwrite,
             const InputFiles& inputs = {});

}  // namespace fovea
