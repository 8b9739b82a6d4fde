#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "lib/video/select_frames.hpp"

namespace fovea {

/// The part of a dataset that is read, and where its images are.
struct DatasetOptions {
    std::string pattern;    ///< glob on the image's relative path or file name, e.g. "*.jpg"; empty = all
    std::size_t limit = 0;  ///< keep the first N images only; 0 = all
    std::filesystem::path root;   ///< the folder of a list's images; empty = the list's own folder
    FrameSelection frames{};      ///< of videos
    bool is_as_displayed = true;  ///< EXIF turns pictures, and stored annotations with them
};

}  // namespace fovea
