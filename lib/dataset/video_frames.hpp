#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/video/select_frames.hpp"

namespace fovea {

/// A video whose frames were listed, or the reason why it has none.
struct ListedVideo {
    std::optional<VideoIndex> index;
    std::string why_none;
};

/// Videos by their files.
using ListedVideos = std::map<std::filesystem::path, ListedVideo>;

/// A name in a list or dataset that leads into a video.
struct VideoEntry {
    std::filesystem::path file;          ///< the video
    std::string name;                    ///< the video's, as in names of its frames
    std::optional<std::int64_t> number;  ///< one frame's number; nothing: all selected frames
};

/// The video that an image's name and path lead into: a video's name, or a frame's, "clip.mp4#000012".
/// Nothing if they name an image.
std::optional<VideoEntry> video_entry(std::string_view name, const std::filesystem::path& path);

/// The frames of videos that are to be listed.
struct VideoListing {
    std::optional<int> stream;   ///< number in the container; nothing: the best one
    FrameSelection selection{};  ///< the frames that count for max_frames
    std::size_t max_frames = 0;  ///< listing a video ends after so many of them; 0 = it does not
    /// Bytes of videos that are members of archives, by their files' names.
    std::map<std::filesystem::path, std::shared_ptr<const VideoBytes>> bytes{};
};

/// Lists the frames of videos, as many videos at a time as video_memory() has room for. A video that cannot
/// be read is listed with the reason. \throws ShortageError, std::bad_alloc
ListedVideos list_videos(std::vector<std::filesystem::path> files, const VideoListing& listing = {});

/// Replaces samples that name a video by its selected frames. Finds the frames of samples that name one, and
/// leaves out those that are not selected; samples that have their frame stay. Frames that the video lacks,
/// and videos without frames, stay as they are: reading them tells the reason. Notes on videos become
/// warnings. Annotated frames get the attributes "video" and "time in the video", by tenths.
void expand_videos(Dataset& dataset, const FrameSelection& selection, std::optional<int> stream = {});

/// Finds the frames of a dataset whose samples name annotated frames, as expand_videos() does. Warnings tell
/// videos with more or fewer frames than the annotation, and videos whose pixels are not square: their frames
/// are not stretched, as annotations lie in stored pixels.
void expand_annotated_frames(Dataset& dataset, const FrameSelection& selection,
                             std::optional<int> stream = {});

/// Replaces samples that are whole videos, whatever their names, by their selected frames, as
/// expand_videos() does.
/// \param max_frames the most frames that are wanted of all videos; 0 = all.
void expand_whole_videos(Dataset& dataset, const FrameSelection& selection, std::optional<int> stream,
                         std::size_t max_frames);

/// Notes for the user on videos that are damaged, or whose clock jumps: "clip.mp4: it ends early ...".
std::vector<std::string> notes_on_videos(const ListedVideos& videos);

/// Throws UsageError: no frame of the dataset is selected.
[[noreturn]] void throw_no_frame(const std::string& dataset);

}  // namespace fovea
