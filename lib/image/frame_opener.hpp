#pragma once

#include <memory>
#include <mutex>

#include "lib/image/formats/byte_source.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/video/video_frames.hpp"

namespace fovea {

/// The options for frames of videos that follow from the options for images. \param threads 0 = all cores.
/// \param max_bytes the limit for an image; 0 = none.
VideoReadOptions video_read_options(const DecodeOptions& options, int threads, std::size_t max_bytes);

/// Opens frames of videos as files whose picture comes decoded. One video is open at a time. Frames are
/// decoded when they are opened, so open them in rising order: an earlier frame begins the video again. Any
/// threads may call it.
class FrameOpener {
  public:
    explicit FrameOpener(const VideoReadOptions& options) : options_(options) {}

    /// \throws ImageError if the video does not give the frame; ShortageError, std::bad_alloc
    std::unique_ptr<codec::EncodedFile> open(const VideoFrame& frame);

  private:
    const VideoReadOptions options_;
    std::mutex mutex_;
    std::shared_ptr<const VideoSource> video_;
    std::unique_ptr<VideoFrames> frames_;  // null: the video could not be opened
    std::string why_none_;
    std::int64_t next_ = 0;  // number of the first frame that is not behind us
};

/// Reads one frame. \throws as FrameOpener::open()
GreyImage read_grey_frame(const VideoFrame& frame, const DecodeOptions& options);

/// Opens a file as an image. \throws ImageError, which says for a video's name why it has no frames;
/// ShortageError; std::bad_alloc
std::unique_ptr<codec::EncodedFile> open_image_file(const std::filesystem::path& file);

}  // namespace fovea
