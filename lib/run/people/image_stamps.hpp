#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/inputs/image_list.hpp"

namespace fovea {

/// The state of the file that holds an image, or of the archive: a changed image has another one.
struct ImageStamp {
    std::uint64_t bytes = 0;
    std::int64_t modified = 0;  ///< nanoseconds, by the clock of the file system
    /// Checksum over the names of a video's frames in the list: another choice of frames is another video.
    std::uint32_t frames = 0;

    friend bool operator==(const ImageStamp&, const ImageStamp&) = default;
};

/// Stamps by stamp_name().
using ImageStamps = std::unordered_map<std::string, ImageStamp>;

/// The name under which an image of a list has its stamp: its own, or that of the video whose frame it is.
std::string_view stamp_name(const ImageList& images, std::size_t i);

/// The stamp of a file that is no video; zero if it is not there.
ImageStamp stamp_of(const std::filesystem::path& file);

/// The stamps of all images of a list; that of a file which is not there is zero. All frames of a video have
/// the video's.
std::vector<ImageStamp> stamps_of(const ImageList& images);

/// Writes the stamps of some images in full or not at all, in the order of the list: a line of JSON for each
/// photograph and video, {"image", "bytes", "modified"}, and of a video "frames". \throws Error if the file
/// cannot be written; std::out_of_range if an image has no stamp.
void write_stamps(const std::filesystem::path& file, const ImageList& images, const ImageStamps& stamps);

/// Reads what write_stamps() wrote. \throws Error naming file and line if a line is broken.
ImageStamps read_stamps(const std::filesystem::path& file);

}  // namespace fovea
