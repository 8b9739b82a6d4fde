#pragma once

// FFmpeg's C headers and owners of its objects; for the sources of this folder alone.

#include <atomic>
#include <memory>
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

/// Troubles of a decoder, in any of its threads; its `opaque` points here.
struct DecoderState {
    std::atomic<bool> has_errors = false;    ///< set with the first error that FFmpeg tells; it hides some
    std::atomic<bool> lacks_memory = false;  ///< for a frame
};

/// FFmpeg writes to standard error on its own; what matters comes back as errors.
void silence();

}  // namespace fovea::ffmpeg
