#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/video/video_file.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {

/// The frames of a video.
struct VideoIndex {
    std::shared_ptr<const VideoSource> source;
    std::vector<std::int64_t> time_stamps;  ///< of every frame, in the order of display
    std::string damage;                     ///< the reason if the file ends early; else empty
    std::string clock{};                    ///< the places where the clock jumps; empty if it does not
};

struct VideoIndexOptions {
    std::optional<int> stream;  ///< number in the container; nothing: the best one
    int threads = 0;            ///< for videos whose frames are counted by decoding; 0 = all cores
    VideoLimits limits;
    std::shared_ptr<const VideoBytes> bytes{};  ///< of the video, which the file only names then
    /// Is called now and then; true ends the listing, as the frames so far are enough. Empty: all frames
    /// are listed.
    std::function<bool(const VideoIndex& so_far)> is_enough{};
};

/// Lists the frames of a video. It reads the packets once, which is enough if each is one frame (H.264, HEVC,
/// VP8, VP9, AV1, Motion JPEG with time stamps that go on, beginning with a key frame). It decodes other
/// streams, and H.264 with packets of single fields, as neither headers nor packets tell the number of their
/// frames. Frames that an edit list leaves out are not listed. A frame that the limits forbid is listed;
/// reading it says why it has no pixels. \throws VideoError if the video cannot be read or has no frame;
/// ShortageError, std::bad_alloc
VideoIndex index_video(const std::filesystem::path& file, const VideoIndexOptions& options = {});

}  // namespace fovea
