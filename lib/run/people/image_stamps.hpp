#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/inputs/image_list.hpp"

namespace fovea {

/// The state of the file that holds an image, or of the archive: a changed image has another one.
struct ImageStamp {
    std::uint64_t bytes = 0;
    std::int64_t modified = 0;  ///< nanoseconds, by the clock of the file system

    friend bool operator==(const ImageStamp&, const ImageStamp&) = default;
};

/// Stamps by the names of the images.
using ImageStamps = std::unordered_map<std::string, ImageStamp>;

/// The stamps of all images of a list; that of a file which is not there is zero.
std::vector<ImageStamp> stamps_of(const ImageList& images);

/// Writes the stamps of some images in full or not at all, in the order of the list: a line of JSON for each,
/// {"image", "bytes", "modified"}. \throws Error if the file cannot be written; std::out_of_range if an image
/// has no stamp.
void write_stamps(const std::filesystem::path& file, const ImageList& images, const ImageStamps& stamps);

/// Reads what write_stamps() wrote. \throws Error naming file and line if a line is broken.
ImageStamps read_stamps(const std::filesystem::path& file);

}  // namespace fovea
