#pragma once

#include <string>
#include <vector>

namespace fovea {

/// A text that is to become a file.
struct OutputFile {
    std::string name;  ///< relative to the output folder, '/'-separated; empty if the output is one file
    std::string bytes;
};

/// The output of a writer: one file, or the files of a folder. Nothing is written yet, so a writer that fails
/// leaves nothing behind; publish() writes the files.
struct OutputFiles {
    bool is_folder = false;
    std::vector<OutputFile> files;
};

}  // namespace fovea
