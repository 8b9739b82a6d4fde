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

/// \throws std::bad_alloc for a lack of memory.
void throw_if_no_memory(int error);
/// The same for what a file asks for: FFmpeg calls it a lack of memory, too, where that is more than it ever
/// gives. This is an error of the file, and nothing is thrown.
void throw_if_memory_is_short(int error);

FramePointer make_frame();

/// A frame that is larger than the limits allow.
struct LargeFrame {
    int width = 0;
    int height = 0;
    int bits = 0;  ///< of a pixel; 0 if unknown
};

/// While it lives, the last frame that was larger than max_pixels of a decoder that FFmpeg made by itself in
/// this thread.
class LargeFrameWatch {
  public:
    LargeFrameWatch();
    ~LargeFrameWatch();
    LargeFrameWatch(const LargeFrameWatch&) = delete;
    LargeFrameWatch& operator=(const LargeFrameWatch&) = delete;

    std::optional<LargeFrame> frame;
};

/// Troubles of a decoder, in any of its threads; its `opaque` points here.
struct DecoderState {
    std::atomic<bool> has_errors = false;    ///< set with the first error that FFmpeg tells; it hides some
    std::atomic<bool> lacks_memory = false;  ///< for a frame
    int threads = 1;                         ///< of the decoder
    std::size_t max_bytes = 0;               ///< of its frames; 0 = no limit

    void refuse(const LargeFrame& frame);
    /// The frame that was refused last, once.
    std::optional<LargeFrame> take_refused();

  private:
    std::mutex mutex_;
    std::optional<LargeFrame> refused_;
};

/// FFmpeg writes to standard error on its own; what matters comes back as errors.
void silence();

}  // namespace fovea::ffmpeg
