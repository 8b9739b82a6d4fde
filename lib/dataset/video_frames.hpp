#pragma once

#include <filesystem>
#include <map>
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
    std::string name;                    ///< of the video, in names of its frames
    std::optional<std::int64_t> number;  ///< of one frame; nothing: all that are selected
};

/// The video that an image's name and path lead into: a file named as a video, or a frame of one,
/// "clip.mp4#000012". Nothing if they name an image.
std::optional<VideoEntry> video_entry(std::string_view name, const std::filesystem::path& path);

/// Which frames of each video are listed.
struct VideoListing {
    std::optional<int> stream;   ///< number in the container; nothing: the best one
    FrameSelection selection{};  ///< with max_frames: of the frames that count
    std::size_t max_frames = 0;  ///< wanted of a video: it is looked at so far and no further; 0 = all
};

/// Lists the frames of videos, several at a time, as many as video_memory() has room for. A video that cannot
/// be read is listed with the reason. \throws ShortageError, std::bad_alloc
ListedVideos list_videos(std::vector<std::filesystem::path> files, const VideoListing& listing = {});

/// Puts the selected frames of videos in the places of samples that name a video, and finds the frames that
/// samples name one by one; frames of these that are not selected are left out; samples that have their frame
/// stay. A frame that the video does not have, and a video without frames, stay as they are: reading them
/// tells what is wrong. Notes on videos become warnings. Annotated frames get the attributes "video"
/// and "time in the video", by tenths.
void expand_videos(Dataset& dataset, const FrameSelection& selection, std::optional<int> stream = {});

/// The same as expand_videos(), for a dataset whose samples name annotated frames one by one. Warnings say
/// where the annotation has fewer frames than a video, or more, and where pixels are not square: these frames
/// are not stretched, as annotations lie in stored pixels.
void expand_annotated_frames(Dataset& dataset, const FrameSelection& selection,
                             std::optional<int> stream = {});

/// The same as expand_videos(), for samples that are whole videos, whatever they are called, and of which no
/// more than `max_frames` in all are wanted; 0 = all.
void expand_whole_videos(Dataset& dataset, const FrameSelection& selection, std::optional<int> stream,
                         std::size_t max_frames);

/// "clip.mp4: it ends early ...": notes for the user on videos that are damaged, or whose clock does not go
/// on.
std::vector<std::string> notes_on_videos(const ListedVideos& videos);

/// \throws UsageError always: no frame of the dataset is selected.
[[noreturn]] void throw_no_frame(const std::string& dataset);

}  // namespace fovea
