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
    std::string damage;                     ///< why the file ends early; empty if it does not
    std::string clock{};                    ///< where time does not go on; empty if it does
};

struct VideoIndexOptions {
    std::optional<int> stream;  ///< number in the container; nothing: the best one
    int threads = 0;            ///< of decoding, where frames must be counted so; 0 = all cores
    VideoLimits limits;
    /// Asked now and then whether the first frames are enough; the rest of the video is not looked at then.
    /// Empty: all frames are wanted.
    std::function<bool(const VideoIndex& so_far)> is_enough{};
};

/// Lists the frames of a video. The packets are read once: where each of them is one frame (H.264, HEVC, VP8,
/// VP9, AV1, Motion JPEG with time stamps that go on, beginning with a key frame), they tell all. Other
/// streams, and H.264 whose fields are packets of their own, are decoded once, as neither headers nor packets
/// tell how many frames they have. Frames that an edit list leaves out are no frames; one that the limits
/// forbid is a frame, and reading it says why there are no pixels. \throws VideoError if it cannot be read or
/// has no frame; ShortageError, std::bad_alloc
VideoIndex index_video(const std::filesystem::path& file, const VideoIndexOptions& options = {});

}  // namespace fovea
