#pragma once

// FFmpeg's C headers and owners of its objects, for the sources of this folder alone.

#include <memory>
#include <stdexcept>
#include <string>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

namespace fovea::test::libav {

template <auto free_object>
struct Deleter {
    template <class T>
    void operator()(T* object) const {
        free_object(&object);
    }
};
using Codec = std::unique_ptr<AVCodecContext, Deleter<avcodec_free_context>>;
using Frame = std::unique_ptr<AVFrame, Deleter<av_frame_free>>;
using Packet = std::unique_ptr<AVPacket, Deleter<av_packet_free>>;

inline int check(int status, const std::string& what) {
    if (status >= 0) return status;
    char text[AV_ERROR_MAX_STRING_SIZE] = {};
    av_strerror(status, text, sizeof text);
    throw std::runtime_error(what + ": " + text);
}

}  // namespace fovea::test::libav
