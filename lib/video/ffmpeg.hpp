#pragma once

// FFmpeg's C headers and owners of its objects; for the sources of this folder alone.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/pixdesc.h>
}

#include "lib/video/packet.hpp"

namespace fovea::ffmpeg {

struct FrameDeleter {
    void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};
using FramePointer = std::unique_ptr<AVFrame, FrameDeleter>;

struct CodecContextDeleter {
    void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
};
using CodecContextPointer = std::unique_ptr<AVCodecContext, CodecContextDeleter>;

/// FFmpeg's words for an error.
std::string error_text(int error);

/// \throws std::bad_alloc if the error is a lack of memory.
void throw_if_no_memory(int error);
/// \throws std::bad_alloc if the machine lacks memory. It throws nothing if a file asks for more than FFmpeg
/// ever gives, which FFmpeg calls a lack of memory, too: that is an error of the file.
void throw_if_memory_is_short(int error);

FramePointer make_frame();

/// A frame that is larger than the limits allow.
struct LargeFrame {
    int width = 0;
    int height = 0;
    int bits = 0;  ///< of a pixel; 0 if unknown
};

/// While it lives, it notes the last frame that exceeded max_pixels in decoders that FFmpeg itself made in
/// this thread.
class LargeFrameWatch {
  public:
    LargeFrameWatch();
    ~LargeFrameWatch();
    LargeFrameWatch(const LargeFrameWatch&) = delete;
    LargeFrameWatch& operator=(const LargeFrameWatch&) = delete;

    std::optional<LargeFrame> frame;
};

/// The errors of a decoder, in any of its threads; its `opaque` points here.
struct DecoderState {
    std::atomic<bool> has_errors = false;    ///< FFmpeg told an error; it hides some
    std::atomic<bool> lacks_memory = false;  ///< there was no memory for a frame
    int threads = 1;                         ///< the decoder's
    std::size_t max_bytes = 0;               ///< the limit for its frames; 0 = none

    void refuse(const LargeFrame& frame);
    /// Takes the frame that was refused last; nothing if it was taken.
    std::optional<LargeFrame> take_refused();

  private:
    std::mutex mutex_;
    std::optional<LargeFrame> refused_;
};

/// Stops FFmpeg's messages on standard error; what matters comes back as errors.
void silence();

}  // namespace fovea::ffmpeg
