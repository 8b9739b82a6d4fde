#pragma once

#include "lib/video/ffmpeg.hpp"

namespace fovea {

/// Tells by packets alone where decoding can begin, and which packets show no frame.
class PacketKind {
  public:
    explicit PacketKind(const AVCodecParameters& parameters);

    /// True if every packet with a time stamp is one frame: for H.264, HEVC, VP8, VP9, AV1, Motion JPEG.
    bool is_frame_by_frame() const { return is_frame_by_frame_; }
    /// True if decoding can begin at this packet, so that frames displayed after it need no packet before:
    /// IDR pictures of H.264; IDR, CRA and BLA pictures of HEVC (pictures displayed before a CRA may need
    /// earlier ones); key frames of VP8, VP9 and AV1; every frame of Motion JPEG.
    bool can_begin_at(const AVPacket& packet) const;
    /// True if the packet shows no frame: an edit list leaves it out, it is an alternate reference frame of
    /// VP8 or VP9, or it has only parameters.
    bool is_hidden(const AVPacket& packet) const;

  private:
    enum class Found { yes, no, broken };

    template <class IsWanted>
    Found find_unit(const AVPacket& packet, const IsWanted& is_wanted) const;
    bool has_no_picture(const AVPacket& packet) const;

    AVCodecID codec_;
    bool is_frame_by_frame_ = false;
    int length_bytes_ = 0;  // before each NAL unit; 0 = start codes
};

}  // namespace fovea
