#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "lib/video/part_reader.hpp"
#include "lib/video/video_decoder.hpp"

namespace fovea {

struct VideoReadOptions {
    int threads = 1;          ///< of the decoder
    bool for_display = true;  ///< stretched to square pixels, and turned as the container says
    VideoLimits limits;
};

/// \param threads of the decoder
DecoderOptions decoder_options(const VideoReadOptions& options, const VideoFacts& facts, int threads);

/// The frames of one video, decoded on the CPU in the order of display. Parts without a wanted frame are
/// read, but not decoded. Damaged parts are decoded by one thread, so that a frame is the same whatever the
/// number of threads. For one thread at a time.
class VideoFrames {
  public:
    /// \throws VideoError, ShortageError, std::bad_alloc
    VideoFrames(std::shared_ptr<const VideoSource> video, const VideoReadOptions& options);

    /// A frame behind all that were asked for before.
    /// \throws VideoError if the decoder gives no such frame, or not as pixels that are read;
    /// ShortageError, std::bad_alloc
    GreyFrame read(const VideoFrame& frame);
    /// The same in colour. \throws as read
    ColourFrame read_colours(const VideoFrame& frame);

  private:
    void find(const VideoFrame& frame);
    VideoDecoder make_decoder(int threads) const;
    bool decode_next();
    void go_to_part(std::size_t part);
    void decode_again_by_one_thread();
    /// The place of the decoded frame beside the wanted one: before it (< 0), it, or behind it (> 0).
    int compare(const VideoFrame& wanted) const;

    std::shared_ptr<const VideoSource> video_;
    VideoReadOptions options_;
    PartReader reader_;
    VideoDecoder decoder_;
    bool is_damaged_ = false;      // the part: one thread decodes it
    bool has_frame_ = false;       // decoded, and not behind us yet
    std::int64_t number_ = -1;     // of that frame, where frames are counted by decoding
    std::int64_t time_stamp_ = 0;  // of that frame
    bool has_part_ = false;
    bool is_drained_ = false;  // the part has no more packets
};

/// Why a decoder did not give a frame: it is not in the video, or the video is damaged.
const char* why_no_frame(std::int64_t time_stamp);

/// One frame of a video, however far inside it. \throws VideoError, ShortageError, std::bad_alloc
GreyFrame read_frame(const VideoFrame& frame, const VideoReadOptions& options);

}  // namespace fovea
