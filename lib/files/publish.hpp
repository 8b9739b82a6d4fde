#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/files/input_files.hpp"

namespace fovea {

/// A text that is to become a file.
struct OutputFile {
    std::string name;  ///< relative to the output folder, '/'-separated; empty if the output is one file
    std::string bytes;
};

/// The output of a writer: one file, or the files of a folder. Nothing is written yet, so a writer that fails
/// leaves nothing behind.
struct OutputFiles {
    bool is_folder = false;
    std::vector<OutputFile> files;
};

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
