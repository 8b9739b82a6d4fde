#pragma once

#include <string>
#include <vector>

namespace fovea {

/// A text that is to become a file.
struct OutputFile {
    std::string name;  ///< relative to the output folder, '/'-separated; empty where the output is one file
    std::string bytes;
};

/// The output of a writer: one file, or the files of a folder. Nothing is on disk yet, so that a writer which
/// fails leaves nothing behind (lib/files/publish.hpp puts it there).
struct OutputFiles {
    bool is_folder = false;
    std::vector<OutputFile> files;
};

}  // namespace fovea
