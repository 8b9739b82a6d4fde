#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "lib/video/part_reader.hpp"
#include "lib/video/video_decoder.hpp"

namespace fovea {

struct VideoReadOptions {
    int threads = 1;          ///< the decoder's
    bool for_display = true;  ///< stretch frames to square pixels, and turn them as the container says
    VideoLimits limits;
};

/// The options of a decoder for a video. \param threads the decoder's, instead of the options'.
DecoderOptions decoder_options(const VideoReadOptions& options, const VideoFacts& facts, int threads);

/// Decodes frames of one video on the CPU in the order of display. Parts without a wanted frame are read, but
/// not decoded. One thread decodes damaged parts, so that frames do not depend on the number of threads. One
/// thread at a time may use it.
class VideoFrames {
  public:
    /// \throws VideoError, ShortageError, std::bad_alloc
    VideoFrames(std::shared_ptr<const VideoSource> video, const VideoReadOptions& options);

    /// Reads a frame, in grey; it must follow all frames that were read before.
    /// \throws VideoError if the decoder gives no such frame, or pixels of its kind are not read;
    /// ShortageError, std::bad_alloc
    GreyFrame read(const VideoFrame& frame);
    /// Reads a frame in colour, with the conditions and errors of read().
    ColourFrame read_colours(const VideoFrame& frame);
    /// True if the video shows a frame that is `step` time stamps or more behind this one, the last that was
    /// read. Nothing can be read afterwards.
    bool goes_on_behind(const VideoFrame& frame, std::int64_t step);

  private:
    void find(const VideoFrame& frame);
    VideoDecoder make_decoder(int threads) const;
    bool decode_next();
    void go_to_part(std::size_t part);
    void decode_again_by_one_thread();
    /// Tells if the decoded frame is before the wanted one (< 0), is it (0), or is behind it (> 0).
    int compare(const VideoFrame& wanted) const;

    std::shared_ptr<const VideoSource> video_;
    VideoReadOptions options_;
    PartReader reader_;
    VideoDecoder decoder_;
    bool is_damaged_ = false;      // the part is: one thread decodes it
    bool has_frame_ = false;       // a frame is decoded and not passed yet
    std::int64_t number_ = -1;     // that frame's, if frames are counted by decoding
    std::int64_t time_stamp_ = 0;  // that frame's
    bool has_part_ = false;
    bool is_drained_ = false;  // the part has no more packets
};

/// The reason why a decoder did not give a frame: it is not in the video, or the video is damaged.
const char* why_no_frame(std::int64_t time_stamp);

/// Reads one frame of a video. \throws VideoError, ShortageError, std::bad_alloc
GreyFrame read_frame(const VideoFrame& frame, const VideoReadOptions& options);

}  // namespace fovea
